// The strip of members: who is on the team, and who is at work. The host is not on it.

import { el } from "../core/dom.js";
import { face, paint } from "../core/faces.js";
import { address } from "../core/router.js";
import { say } from "../core/speech.js";

class Members extends HTMLElement {
  connectedCallback() {
    this.chips = new Map();
    const list = el("ul", {}, this.given.members.map((member) => this.chip(member)));
    this.append(el("section", { class: "members", "aria-label": say("members") }, list));
  }

  // `jobs` of the room, newest first: the open ones say who works, all of them who has a session of its own here.
  show(session, jobs) {
    for (const [id, { chip, state, resting }] of this.chips) {
      const mine = jobs.filter((job) => job.agent_id === id);
      const open = mine.filter((job) => job.open);
      chip.classList.toggle("at-work", open.length > 0);
      chip.classList.toggle("waits", open.some((job) => job.waits));
      state.textContent = open.length ? say(wordOf(open)) : resting;
      if (mine.length) this.lead(chip, mine[0].side_session_id || `${session.id}~${id}`);
    }
  }

  // To the session in which the member works for this room.
  lead(chip, sessionId) {
    chip.setAttribute("href", address("s", sessionId));
    chip.title ||= say("member_hint");
  }

  chip(member) {
    const speaker = { id: member.agent_id, name: member.name, icon: member.icon_url, color: member.color };
    const resting = member.state === "running" ? say("idle") : say(`${member.state}_agent`);
    const state = el("span", { class: "state" }, resting);
    const chip = el("a", { class: `member ${member.state}`, title: member.state_reason || null }, face(speaker, "small"), el("span", { class: "name" }, member.name), state);
    paint(chip, speaker);
    this.chips.set(member.agent_id, { chip, state, resting });
    return el("li", {}, chip);
  }
}

// What a member does: somebody is to decide, it works, or its work stands in a queue.
function wordOf(open) {
  if (open.some((job) => job.waits)) return "waits";
  return open.some((job) => job.state === "running") ? "working" : "queued";
}

customElements.define("tb-members", Members);
