// The settings of a channel that most never touch: lists of ids, live text, notices, the rate.

import { el } from "../core/dom.js";
import { say } from "../core/speech.js";
import { fold } from "../parts/fold.js";
import { field, line, segments, toggle } from "../parts/fields.js";

const LISTS = ["allow", "admins", "allow_chats"];
const SWITCHES = ["live", "notices"];

// `channel` is null for a new one. The element has `said()`: what the API takes.
export function finer(channel) {
  const lists = LISTS.map((name) => field(name, say(name), line({ value: (channel?.[name] ?? []).join(", "), maxlength: 20_000 }), { hint: say(`${name}_hint`), optional: true }));
  const rate = field("rate_limit", say("rate_limit"), line({ type: "number", min: 1, max: 1_000_000, value: String(channel?.rate_limit ?? 120), required: true }), { hint: say("rate_limit_hint") });
  const mode = segments("response_mode", say("answers"), ["stream", "final"].map((each) => [each, say(`mode_${each}`)]), channel?.response_mode ?? "stream");
  const switches = SWITCHES.map((name) => toggle(name, say(name), channel?.[name] ?? true, say(`${name}_hint`)));
  const made = fold(say("finer"), el("div", { class: "finer" }, lists, mode, switches, rate));

  made.said = () => {
    const words = Object.fromEntries(lists.map((each) => [each.path, each.control.value.split(/[,，\s]+/).filter(Boolean)]));
    const on = Object.fromEntries(switches.map((each) => [each.path, each.input.checked]));
    return { ...words, ...on, response_mode: mode.value, rate_limit: Number(rate.control.value) };
  };
  return made;
}
