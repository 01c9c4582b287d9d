// The conversations of one expert: its own ones, and what it did for teams.

import { el } from "../core/dom.js";
import { address } from "../core/router.js";
import { fullTime, say } from "../core/speech.js";

const INSIDE = new Set(["side", "peer", "child"]);

export function work(sessions) {
  return el("section", {}, el("h2", { class: "section-title" }, say("its_sessions")), el("div", { class: "rows", role: "list" }, sessions.map(row)));
}

function row(session) {
  return el(
    "div",
    { class: "row", role: "listitem" },
    el(
      "div",
      { class: "grow" },
      el("a", { href: address("s", session.id) }, session.title || say("untitled")),
      el("div", { class: "meta" }, fullTime(new Date(session.updated_at))),
    ),
    INSIDE.has(session.kind) && el("span", { class: "badge" }, say(`${session.kind}_badge`)),
    session.status === "ARCHIVED" && el("span", { class: "badge" }, say("archived")),
  );
}
