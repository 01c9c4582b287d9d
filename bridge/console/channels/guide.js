// How to set a platform up, step by step, with what has to be pasted there.

import { el } from "../core/dom.js";
import { say } from "../core/speech.js";
import { copyBox } from "../parts/copy.js";
import { PLATFORMS } from "./platforms.js";

// `address` is where the platform calls this channel.
export function guide(platform, address) {
  const { steps, texts } = PLATFORMS[platform];
  const known = { ...texts, address };
  return el(
    "ol",
    { class: "steps" },
    steps.map(({ text, link, copy }) =>
      el(
        "li",
        {},
        el("p", {}, say(text), " ", link && el("a", { href: link, target: "_blank", rel: "noopener noreferrer" }, link.replace(/^https:\/\//, ""))),
        copy && copyBox(known[copy], say("text_to_copy")),
      ),
    ),
  );
}
