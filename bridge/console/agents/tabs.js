// The three pages about agents: my experts, my teams, and the market.

import { el } from "../core/dom.js";
import { address } from "../core/router.js";
import { say } from "../core/speech.js";

const TABS = [["experts", "tab_experts"], ["teams", "tab_teams"], ["market", "tab_market"]];

export function tabs(current) {
  const links = TABS.map(([name, label]) => el("a", { href: address(name), "aria-current": name === current ? "page" : null }, say(label)));
  return el("nav", { class: "tabs", "aria-label": say("nav_agents") }, links);
}
