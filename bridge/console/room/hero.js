// What stands in a room before anything was said: who is here, and what each of them does.

import { directory } from "../core/directory.js";
import { draft } from "../core/draft.js";
import { el } from "../core/dom.js";
import { face } from "../core/faces.js";

export function hero(agent, welcome) {
  const members = directory.members(agent.id) ?? [];
  return el(
    "section",
    { class: "hero greeting", "aria-label": agent.name },
    face(agent, "large"),
    el("h2", {}, agent.name),
    el("div", { class: "welcome" }, [...draft(welcome).childNodes]),
    members.length > 0 && el("ul", { class: "cast" }, members.map(entry)),
  );
}

function entry(member) {
  const expert = directory.agent(member.agent_id);
  const looks = { id: member.agent_id, name: member.name, icon: member.icon_url, color: member.color };
  return el("li", {}, face(looks), el("span", {}, el("strong", {}, member.name), el("small", {}, expert.description ?? "")));
}
