// How a page says that it waits, that there is nothing, or that something went wrong.

import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { say } from "../core/speech.js";

export function waiting(rows = 3) {
  return el("div", { class: "waiting", role: "status", "aria-label": say("loading") }, Array.from({ length: rows }, () => el("i")));
}

// `shape` an icon, `title` what there is not, `text` what to do next, then the buttons that do it.
export function empty(shape, title, text, ...doing) {
  const actions = doing.filter(Boolean);
  return el(
    "div",
    { class: "empty" },
    el("div", { class: "art" }, icon(shape)),
    el("h2", {}, title),
    text && el("p", {}, text),
    actions.length ? el("div", { class: "doing" }, actions) : null,
  );
}

export function trouble(fault, again) {
  return el(
    "div",
    { class: "empty", role: "alert" },
    el("div", { class: "art" }, icon("warn")),
    el("h2", {}, say("trouble")),
    el("p", {}, fault.message),
    el("div", { class: "doing" }, el("button", { class: "button", type: "button", onclick: again }, icon("retry"), say("again"))),
  );
}

export function note(kind, shape, ...words) {
  return el("div", { class: `note ${kind}` }, icon(shape), el("div", {}, words));
}
