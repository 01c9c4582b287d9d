// A small menu behind a button: opens beside it, closes with Escape or a click elsewhere.

import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";

// `items` are [icon, label, action, danger?]; empty ones are left out.
export function menuButton(label, items, shape = "more") {
  const button = el("button", { class: "tool", type: "button", "aria-label": label, title: label }, icon(shape));
  const entries = items.filter(Boolean).map(([shapeOf, words, action, danger]) => ({ shape: shapeOf, words, action, danger }));
  return menu(button, entries);
}

// One of several: `choices` are [value, label], `picked` is told another value than `chosen`.
export function choiceMenu(button, choices, chosen, picked) {
  const entries = choices.map(([value, words]) => ({ shape: "check", words, checked: value === chosen, action: () => value === chosen || picked(value) }));
  return menu(button, entries);
}

function menu(button, entries) {
  const list = el("div", { class: "menu", role: "menu", hidden: true, onkeydown: move }, entries.map(entry));
  const made = el("div", { class: "menu-place" }, button, list);
  button.setAttribute("aria-haspopup", "menu");
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", () => toggle(list.hidden));

  function entry({ shape, words, action, danger, checked }) {
    const role = checked === undefined ? { role: "menuitem" } : { role: "menuitemradio", "aria-checked": String(checked) };
    return el("button", { class: danger ? "danger" : "", type: "button", ...role, tabindex: -1, onclick: () => (toggle(false), button.focus(), action()) }, icon(shape), words);
  }

  function toggle(open) {
    list.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    document[open ? "addEventListener" : "removeEventListener"]("pointerdown", elsewhere, true);
    if (open) (list.querySelector("[aria-checked=true]") ?? list.firstElementChild).focus();
  }

  function elsewhere(event) {
    if (!made.contains(event.target)) toggle(false);
  }

  function move(event) {
    const all = [...list.children];
    const at = all.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) all[(at + step + all.length) % all.length].focus();
    if (event.key === "Escape") {
      toggle(false);
      button.focus();
    }
    if (event.key === "Tab") toggle(false);
    if (step || event.key === "Escape") event.preventDefault();
  }

  return made;
}
