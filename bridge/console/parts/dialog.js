// Dialogs: the browser's own <dialog>, which keeps the focus inside and closes with Escape.

import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { say } from "../core/speech.js";

// Opens a dialog with this title and content; answers with it. It is removed when it closes.
export function openDialog(title, content, { wide = false } = {}) {
  const close = el("button", { class: "tool", type: "button", "aria-label": say("close"), title: say("close"), onclick: () => made.close() }, icon("cross"));
  const made = el(
    "dialog",
    { class: wide ? "dialog wide" : "dialog", "aria-label": title },
    el("div", { class: "dialog-head" }, el("h2", {}, title), close),
    el("div", { class: "dialog-body" }, content),
  );
  made.addEventListener("close", () => made.remove());
  made.addEventListener("mousedown", (event) => event.target === made && made.close());
  document.body.append(made);
  made.showModal();
  return made;
}

// Asks before something that matters; `text` is one line or several. Resolves to whether it was confirmed.
export function confirmed(title, text, action, { danger = true } = {}) {
  return new Promise((resolve) => {
    const yes = el("button", { class: danger ? "button danger" : "button primary", type: "button", onclick: () => answer(true) }, action);
    const no = el("button", { class: "button", type: "button", autofocus: true, onclick: () => answer(false) }, say("cancel"));
    const made = openDialog(title, [...[text].flat().map((line) => el("p", { class: "soft" }, line)), el("div", { class: "dialog-foot" }, no, yes)]);
    let said = false;
    function answer(value) {
      said = value;
      made.close();
    }
    made.addEventListener("close", () => resolve(said));
  });
}
