// The texts of a page whose contrast is too low, as "text: ratio (colour on colour)". Colours are measured as they are
// painted: any notation, translucent layers and opacity included.
() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const cache = new Map();

  function rgba(colour) {
    if (!cache.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
      cache.set(colour, [red, green, blue, alpha / 255]);
    }
    return cache.get(colour);
  }

  const over = (top, below) => [0, 1, 2].map((at) => top[at] * top[3] + below[at] * (1 - top[3])).concat(1);

  function ground(element) {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.unshift(rgba(getComputedStyle(at).backgroundColor));
    return layers.reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
  }

  function opacity(element) {
    let found = 1;
    for (let at = element; at; at = at.parentElement) found *= Number(getComputedStyle(at).opacity);
    return found;
  }

  function luminance(colour) {
    const [red, green, blue] = colour.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }

  function counts(element, text) {
    if (!text.trim() || !/[\p{L}\p{N}]/u.test(text)) return false;
    if (element.closest(":disabled, [aria-hidden=true], .unseen, script, style, option, noscript")) return false;
    if (element.closest("label")?.querySelector(":disabled")) return false;
    return element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  }

  const wrong = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!counts(element, walker.currentNode.data)) continue;
    const style = getComputedStyle(element);
    const below = ground(element);
    const ink = rgba(style.color);
    const shown = over([ink[0], ink[1], ink[2], ink[3] * opacity(element)], below);
    const [light, dark] = [luminance(shown), luminance(below)].sort((one, other) => other - one);
    const ratio = (light + 0.05) / (dark + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) wrong.push(`${walker.currentNode.data.trim().slice(0, 30)}: ${ratio.toFixed(2)} (${style.color} on ${below.map(Math.round)})`);
  }
  return [...new Set(wrong)];
};
