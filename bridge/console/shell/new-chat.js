// Choosing with whom to begin: teams first, then experts.

import { el } from "../core/dom.js";
import { canTalk, directory } from "../core/directory.js";
import { face } from "../core/faces.js";
import { address, go } from "../core/router.js";
import { say } from "../core/speech.js";
import { openDialog } from "../parts/dialog.js";
import { empty } from "../parts/states.js";

export function openNewChat() {
  const search = el("input", { type: "search", class: "find", placeholder: say("search_agents"), "aria-label": say("search_agents"), oninput: () => show() });
  const list = el("div", { class: "choices" });
  const made = openDialog(say("new_chat_title"), [search, list]);

  function show() {
    const words = search.value.trim().toLowerCase();
    const found = directory.agents.filter((agent) => canTalk(agent) && `${agent.name} ${agent.description}`.toLowerCase().includes(words));
    const teams = found.filter((agent) => agent.kind === "team");
    const experts = found.filter((agent) => agent.kind !== "team");
    list.replaceChildren(...block(say("teams"), teams), ...block(say("experts"), experts));
    if (!found.length) list.append(words ? el("p", { class: "faint none" }, say("nothing_found")) : nobody());
  }

  function block(title, agents) {
    return agents.length ? [el("h3", {}, title), el("ul", {}, agents.map((agent) => el("li", {}, entry(agent))))] : [];
  }

  function entry(agent) {
    const members = directory.members(agent.id);
    const about = agent.description || (members ? members.map((member) => member.name).join(" · ") : "");
    return el("a", { class: "choice", href: address("new", agent.id), onclick: () => made.close() }, face(agent), el("span", {}, el("strong", {}, agent.name), el("small", {}, about)));
  }

  function nobody() {
    return empty("team", say("nobody"), say("nobody_text"), el("button", { class: "button primary", type: "button", onclick: () => (made.close(), go("market")) }, say("nav_market")));
  }

  show();
  search.focus();
}
