// Forms: a label, a control, a hint, and the server's complaint beside the field it is about.

import { el } from "../core/dom.js";
import { say } from "../core/speech.js";

let number = 0;

// A labelled control. `name` is its path in the API, so that a refusal can find it.
export function field(name, label, control, { hint = "", optional = false } = {}) {
  const id = `field-${++number}`;
  const target = control.matches("input, textarea, select") ? control : control.querySelector("input, textarea, select") ?? control;
  target.id = id;
  target.name ||= name;
  const complaint = el("p", { class: "fault", id: `${id}-fault` });
  target.setAttribute("aria-describedby", hint ? `${id}-hint ${id}-fault` : `${id}-fault`);
  const title = el("label", { for: id }, label, optional && el("span", { class: "optional" }, say("optional")));
  const made = el("div", { class: "field" }, title, control, hint && el("p", { class: "hint", id: `${id}-hint` }, hint), complaint);
  Object.assign(made, { path: name, control: target, complaint });
  return made;
}

export const line = (properties = {}) => el("input", { type: "text", autocomplete: "off", maxlength: 200, ...properties });

export const area = (properties = {}) => el("textarea", { rows: 4, ...properties });

// `choices` are [value, label]; one that the list lacks is added, so that nothing is changed silently.
export function choice(choices, chosen, properties = {}) {
  const all = choices.some(([value]) => value === chosen) ? choices : [...choices, [chosen, chosen]];
  const made = el("select", properties, all.map(([value, label]) => el("option", { value }, label)));
  made.value = chosen;
  return made;
}

// A switch with its words beside it.
export function toggle(name, label, on, hint = "") {
  const input = el("input", { type: "checkbox", role: "switch", name });
  input.checked = on;
  const made = el("label", { class: "toggle" }, input, el("span", { class: "track", "aria-hidden": "true" }), el("span", {}, label, hint && el("small", {}, hint)));
  Object.assign(made, { path: name, input });
  return made;
}

// One of a few, all visible.
export function segments(name, label, choices, chosen, onchange = () => {}) {
  const made = el("fieldset", { class: "segments" }, el("legend", {}, label));
  for (const [value, words] of choices) {
    const input = el("input", { type: "radio", name: `${name}-${number}`, value, onchange: () => onchange(value) });
    input.checked = value === chosen;
    made.append(el("label", {}, input, el("span", {}, words)));
  }
  number++;
  Object.defineProperty(made, "value", { get: () => made.querySelector("input:checked")?.value });
  return made;
}

// A group of fields under a heading of its own.
export function group(title, ...children) {
  return el("section", { class: "group" }, title && el("h2", {}, title), children);
}

// Shows a refusal where it belongs: at its field, else below the form. Clears the last one.
export function complain(form, fault, below) {
  for (const each of form.querySelectorAll(".field > .fault")) each.textContent = "";
  for (const each of form.querySelectorAll("[aria-invalid]")) each.removeAttribute("aria-invalid");
  below.textContent = "";
  if (fault === null) return;
  const path = fault.details?.path ?? "";
  const found = [...form.querySelectorAll(".field")].find((each) => each.path && (each.path === path || path.startsWith(`${each.path}.`) || path.startsWith(`${each.path}[`)));
  (found?.complaint ?? below).textContent = fault.message;
  if (found) {
    found.closest("details")?.setAttribute("open", "");
    found.control.setAttribute("aria-invalid", "true");
    found.control.focus();
  }
}

// Runs what a button starts, and shows that it runs.
export async function during(button, work) {
  if (button.disabled) return undefined;
  button.disabled = true;
  const showing = setTimeout(() => button.classList.add("busy"), 150);
  try {
    return await work();
  } finally {
    clearTimeout(showing);
    button.classList.remove("busy");
    button.disabled = false;
  }
}

// Which edition a change is about: somebody else's change in between is not overwritten silently.
export const edition = (seen) => ({ "If-Match": `"${seen.updated_at}"` });

// Somebody else was faster: says so, and offers to look at what is there now.
export function conflict(below, fault, reload) {
  below.replaceChildren(fault.message, " ", el("button", { class: "button small", type: "button", onclick: reload }, say("reload")));
}
