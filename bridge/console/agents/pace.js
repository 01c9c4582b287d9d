// How a team works: when its host is called back, how long members may take, and whether it may be talked to.

import { el } from "../core/dom.js";
import { say } from "../core/speech.js";
import { field, line, segments, toggle } from "../parts/fields.js";
import { fold } from "../parts/fold.js";

const USUAL = { wake: "wave", wave_timeout: 120, member_timeout: 900, enabled: true, client_visible: true };
const LONGEST = 86_400;

// The element has `said()`: what the API takes.
export function pace(team) {
  const given = { ...USUAL, ...team };
  const wake = segments("wake", say("wake"), ["wave", "each"].map((each) => [each, say(`wake_${each}`)]), given.wake);
  const times = ["wave_timeout", "member_timeout"].map((name) => field(name, say(name), line({ type: "number", min: 1, max: LONGEST, step: "any", required: true, value: String(given[name]) }), { hint: say(`${name}_hint`) }));
  const switches = ["enabled", "client_visible"].map((name) => toggle(name, say(name), given[name], say(`team_${name}_hint`)));
  const made = fold(say("finer"), el("div", { class: "finer" }, wake, el("div", { class: "pair" }, times), switches));

  made.said = () => ({
    wake: wake.value,
    ...Object.fromEntries(times.map((each) => [each.path, Number(each.control.value)])),
    ...Object.fromEntries(switches.map((each) => [each.path, each.input.checked])),
  });
  return made;
}
