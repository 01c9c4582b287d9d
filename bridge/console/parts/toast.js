// A short word that something worked; it goes by itself and is read aloud.

import { el } from "../core/dom.js";

const SHOWN = 2600;

export function toast(text, shown = SHOWN) {
  const made = el("div", { class: "toast" }, text);
  region().append(made);
  setTimeout(() => made.remove(), shown);
}

// The live region must be there before it has something to say.
export function region() {
  let found = document.querySelector(".toasts");
  if (!found) {
    found = el("div", { class: "toasts", role: "status", "aria-live": "polite" });
    document.body.append(found);
  }
  return found;
}
