// What waits for a decision in a conversation and in what works for it: read anew when something was asked or decided.

import { all, at } from "../core/api.js";
import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { say } from "../core/speech.js";

const MOMENT = 200;
const CHANGING = new Set(["turn_ended", "job_failed"]);

export class Questions {
  // `tell` is called with the open ones, oldest first.
  constructor(sessionId, tell) {
    Object.assign(this, { sessionId, tell, open: [] });
  }

  happened(event) {
    if (!event.data?.approval && !(this.open.length && CHANGING.has(event.kind))) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.read().catch(() => {}), MOMENT);
  }

  async read() {
    const found = await all(at("sessions", this.sessionId, "approvals"));
    if (this.ended) return;
    this.open = found;
    this.tell(found);
  }

  end() {
    this.ended = true;
    clearTimeout(this.timer);
  }
}

// A line for each turn that waits, which leads to its first question.
export function asking(open, reveal) {
  const turns = Map.groupBy(open, (approval) => approval.turn_id);
  return [...turns.values()].map((approvals) => {
    const [first] = approvals;
    const words = approvals.length > 1 ? say("approvals_wait", { name: first.name, count: approvals.length }) : say("approval_waits", { name: first.name });
    return el("button", { class: "ask-line", type: "button", onclick: () => reveal(first) }, icon("lock"), words, el("span", {}, say("approval_look")));
  });
}
