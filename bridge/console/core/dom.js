// Making elements without markup in strings: what people and models say is only ever text here.

export function el(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "class") made.className = value;
    else if (key === "value") made.value = value;
    else if (key === "given") made.given = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

// Something for the whole document to know, told by any element: `tell(this, "tb-signed-out")`.
export function tell(element, name, detail = null) {
  element.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
}
