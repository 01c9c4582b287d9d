// What is worth knowing of an agent at a glance.

import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { say } from "../core/speech.js";

export function stateBadge(agent) {
  if (agent.state === "running") return null;
  return el("span", { class: `badge lamp ${agent.state === "error" ? "wrong" : ""}` }, say(`${agent.state}_agent`));
}

export const fromFile = (agent) => agent.origin === "config" && el("span", { class: "badge", title: say("from_file_text") }, icon("lock"), say("from_file"));

export const sharedBadge = (agent, user) =>
  agent.is_shared && el("span", { class: "badge" }, say(agent.owner_id === user.id ? "shared_by_me" : "shared_with_me"));

// Whether this person may change it here.
export const isMine = (agent, user) => agent.owner_id === user.id && agent.origin !== "config";
