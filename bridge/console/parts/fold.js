// Something that stays folded until it is wanted.

import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";

export function fold(title, ...content) {
  return el("details", { class: "group fold" }, el("summary", {}, el("h2", {}, title), icon("down")), content);
}
