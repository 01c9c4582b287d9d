// Choosing how an agent looks: a sign and a colour, shown at once.

import { el } from "../core/dom.js";
import { EMOJI, OFFERED } from "../core/emoji.js";
import { face, hueOf, SWATCHES } from "../core/faces.js";
import { icon } from "../core/icons.js";
import { say } from "../core/speech.js";

// `value` is {icon, color}; `name()` tells the name as it is typed now. The element has `value` and `paint()`.
export function looks(id, value, name) {
  const chosen = { ...value };
  const shown = el("div", { class: "looks" });
  const signs = radios("sign", "emoji", say("avatar"), [["", say("initials")], ...OFFERED.map((each) => [`:${each}:`, each.replaceAll("_", " ")])], sign, chosen.icon, (icon) => change({ icon }));
  const colours = radios("colour", "swatches", say("colour"), [["", say("automatic")], ...Object.keys(SWATCHES).map((each, index) => [each, say("colour_number", { number: index + 1 })])], swatch, chosen.color, (color) => change({ color }));
  const choices = el("div", { class: "looks-choices" }, signs, colours);

  function change(part) {
    Object.assign(chosen, part);
    paint();
  }

  function paint() {
    shown.replaceChildren(face({ id, name: name() || "?", ...chosen }), choices);
  }

  paint();
  return Object.assign(shown, { value: chosen, paint });
}

function radios(group, kind, label, values, draw, chosen, tell) {
  const made = el("div", { class: kind, role: "radiogroup", "aria-label": label });
  // One that is not on offer (a web address, say) is kept until another is chosen.
  const all = values.some(([value]) => value === chosen) ? values : [...values, [chosen, chosen]];
  for (const [value, words] of all) {
    const input = el("input", { type: "radio", name: group, value, "aria-label": words, onchange: () => tell(value) });
    input.checked = value === chosen;
    made.append(el("label", { title: words, class: value === "" ? "auto" : "" }, input, draw(value)));
  }
  return made;
}

function sign(value) {
  return el("span", { "aria-hidden": "true" }, value === "" ? "A" : EMOJI[value.slice(1, -1)] ?? "?");
}

function swatch(value) {
  const made = el("span", { "aria-hidden": "true" }, value === "" ? icon("spark") : "");
  if (value) made.style.setProperty("--hue", hueOf({ id: "", color: value }));
  return made;
}
