// Something that opens beside its button and closes with Escape or a click elsewhere.

import { el } from "../core/dom.js";

// `content()` is made anew at each opening and answers with [element, what gets the focus]. The place has `close()`.
export function popover(button, label, content) {
  const sheet = el("div", { class: "popover", role: "dialog", "aria-label": label, hidden: true, onkeydown: typed });
  const place = el("div", { class: "popover-place" }, button, sheet);
  button.setAttribute("aria-haspopup", "dialog");
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", () => toggle(sheet.hidden));
  place.close = () => toggle(false);

  function toggle(open) {
    sheet.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    document[open ? "addEventListener" : "removeEventListener"]("pointerdown", elsewhere, true);
    if (!open) return sheet.replaceChildren();
    const [shown, first] = content();
    sheet.replaceChildren(shown);
    first.focus();
  }

  function elsewhere(event) {
    if (!place.contains(event.target)) toggle(false);
  }

  function typed(event) {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.stopPropagation();
    toggle(false);
    button.focus();
  }

  place.addEventListener("focusout", (event) => event.relatedTarget && !place.contains(event.relatedTarget) && toggle(false));
  return place;
}
