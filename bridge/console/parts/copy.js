// A text to be copied as it stands, with a button that does it.

import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { say } from "../core/speech.js";
import { toast } from "./toast.js";

export function copyBox(text, label = "") {
  const button = el("button", { class: "button small", type: "button", "aria-label": label ? `${say("copy")} ${label}` : say("copy"), onclick: () => copy(text) }, icon("copy"), say("copy"));
  const lines = text.split("\n").length;
  return el("div", { class: lines > 1 ? "copy-box tall" : "copy-box" }, el("pre", { tabindex: 0, "aria-label": label || say("text_to_copy") }, text), button);
}

export async function copy(text) {
  if (await copied(text)) toast(say("copied"));
  else toast(say("copy_failed"));
}

// Without a secure context there is no clipboard: the old way is the only one.
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { class: "unseen", "aria-hidden": "true", value: text });
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
