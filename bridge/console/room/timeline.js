// The timeline: what was said, in the order of its numbers, and below it what is being written just now.

import { ask, at } from "../core/api.js";
import { el } from "../core/dom.js";
import { draft } from "../core/draft.js";
import { icon } from "../core/icons.js";
import { dayName, say } from "../core/speech.js";
import { toast } from "../parts/toast.js";
import { bubble, dots, spoken } from "./bubble.js";
import { hero } from "./hero.js";
import { closeJob, line, newMemory } from "./lines.js";

const SPOKEN = new Set(["user_message", "host_message", "member_message", "wrapup"]);
const ENDING = new Set(["turn_ended", "job_failed", "member_message"]);
const NEAR = 96;
const PAGE = 200;

class Timeline extends HTMLElement {
  connectedCallback() {
    if (this.scroller) return;
    this.said = el("div", { class: "said", role: "log", "aria-live": "polite", "aria-label": say("transcript") });
    this.drafts = el("div", { class: "drafts" });
    this.earlier = el("button", { class: "button small earlier", type: "button", hidden: true, onclick: () => this.more() }, say("earlier"));
    this.newest = el("button", { class: "newest", type: "button", hidden: true, title: say("newest"), "aria-label": say("newest"), onclick: () => this.toEnd() }, icon("down"));
    this.scroller = el("main", { class: "scroller", id: "content", tabindex: 0, "aria-label": say("transcript"), onscroll: () => this.scrolled() }, this.column());
    this.append(this.scroller, this.newest);
    this.sized = new ResizeObserver(() => this.keepEnd());
    // Pictures come later than their messages.
    this.sized.observe(this.scroller);
    this.sized.observe(this.scroller.firstElementChild);
    this.atEnd = true;
  }

  column() {
    return el("div", { class: "column" }, this.earlier, this.said, this.drafts);
  }

  disconnectedCallback() {
    this.sized.disconnect();
  }

  begin({ session, after, agent, user, welcome }) {
    Object.assign(this, { session, agent, user, first: after, live: new Map(), resting: new Set(), memory: newMemory(session?.id), day: "" });
    this.said.replaceChildren();
    this.drafts.replaceChildren();
    this.earlier.hidden = after === 0;
    if (session === null) this.said.append(hero(agent, welcome));
    else if (after === 0 && session.kind !== "side") this.said.append(this.greeting(agent, welcome));
    this.toEnd();
  }

  // A durable event; it takes the place of its turn's draft.
  add(event) {
    const old = this.settle(event);
    const made = this.shown(event, this.memory);
    if (made) {
      this.mark(event);
      if (old) made.classList.add("settled");
      this.said.append(made);
    }
    this.keepEnd();
  }

  // More of a text that is being written; from `offset` on it replaces what was shown.
  write(frame) {
    const live = this.live.get(frame.turn_id) ?? this.startDraft(frame.turn_id, frame.speaker);
    if (!live.text && frame.offset > 0) live.start = frame.offset;
    live.text = live.text.slice(0, Math.max(0, frame.offset - live.start)) + frame.text;
    if (frame.offset < live.start) Object.assign(live, { start: frame.offset, text: frame.text });
    live.dirty = true;
    this.paintSoon();
  }

  // A new connection tells the texts so far again.
  dropDrafts() {
    for (const [turn, live] of this.live) {
      if (!live.text) continue;
      live.element.remove();
      this.live.delete(turn);
    }
  }

  settle(event) {
    if (event.kind === "turn_started") this.startDraft(event.turn_id, event.speaker);
    const live = this.live.get(event.turn_id);
    if (event.data?.approval) this.rest(event, live);
    if (!live || live.speaker.id !== event.speaker.id) return false;
    if (ENDING.has(event.kind)) {
      live.element.remove();
      return this.live.delete(event.turn_id);
    }
    if (event.kind !== "host_message" && event.kind !== "wrapup") return false;
    Object.assign(live, { text: "", start: 0 });
    live.element.hidden = true;
    return true;
  }

  // While somebody is asked nobody writes.
  rest({ turn_id, data }, live) {
    if (data.approval.state === "open") this.resting.add(turn_id);
    else this.resting.delete(turn_id);
    if (live) this.showResting(turn_id, live);
  }

  showResting(turn, live) {
    const resting = this.resting.has(turn);
    live.element.classList.toggle("resting", resting);
    live.element.hidden = resting && !live.text;
  }

  // Leads to the question, which may have been asked long ago.
  reveal(approval) {
    const made = this.memory.approvals.find(approval.id) ? null : this.memory.approvals.add(approval);
    if (made) this.said.append(made);
    const card = this.memory.approvals.find(approval.id);
    card.scrollIntoView({ block: "center" });
    card.querySelector("button")?.focus();
  }

  startDraft(turnId, speaker) {
    this.live.get(turnId)?.element.remove();
    const body = el("div", { class: "text" }, dots());
    const element = bubble({ speaker, at: null }, body, "draft", this.user);
    const live = { speaker, element, body, text: "", start: 0, dirty: false };
    this.live.set(turnId, live);
    this.showResting(turnId, live);
    this.drafts.append(element);
    this.keepEnd();
    return live;
  }

  paintSoon() {
    this.painting ??= requestAnimationFrame(() => {
      this.painting = null;
      for (const live of this.live.values()) if (live.dirty) this.paintDraft(live);
      this.keepEnd();
    });
  }

  paintDraft(live) {
    live.dirty = false;
    live.element.hidden = !live.text;
    live.body.replaceChildren(draft(live.text));
    lastBlock(live.body).append(el("span", { class: "caret" }));
  }

  shown(event, memory) {
    if (!SPOKEN.has(event.kind)) return line(event, memory);
    if (event.kind === "member_message") closeJob(event, memory);
    return bubble(event, spoken(event), event.kind, this.user);
  }

  greeting(agent, welcome) {
    const speaker = { id: agent.id, name: agent.name, icon: agent.icon, color: agent.color, role: agent.kind === "team" ? "host" : "member" };
    return bubble({ speaker, at: null }, el("div", { class: "text" }, ...draft(welcome).childNodes), "greeting", this.user);
  }

  // A line between two days.
  mark(event) {
    const day = dayName(new Date(event.at));
    if (day !== this.day && (this.day || event.seq > 1)) this.said.append(el("div", { class: "day" }, el("span", {}, day)));
    this.day = day;
  }

  async more() {
    const after = Math.max(0, this.first - PAGE);
    const query = new URLSearchParams({ after, limit: this.first - after, render: "html" });
    try {
      const { items } = await ask("GET", `${at("sessions", this.session.id, "events")}?${query}`);
      const height = this.scroller.scrollHeight - this.scroller.scrollTop;
      const memory = newMemory(this.session.id, this.memory);
      this.said.prepend(...items.map((event) => this.shown(event, memory)).filter(Boolean));
      this.first = after;
      this.earlier.hidden = after === 0;
      this.scroller.scrollTop = this.scroller.scrollHeight - height;
    } catch (fault) {
      toast(fault.message);
    }
  }

  scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    this.atEnd = scrollHeight - scrollTop - clientHeight < NEAR;
    this.newest.hidden = this.atEnd;
  }

  keepEnd() {
    if (this.atEnd) this.scroller.scrollTop = this.scroller.scrollHeight;
    else this.newest.hidden = false;
  }

  toEnd() {
    this.atEnd = true;
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.newest.hidden = true;
  }
}

// The innermost block at the end, where the next word will stand.
function lastBlock(body) {
  let found = body;
  while (found.lastElementChild?.matches("p, ul, ol, li, pre, code, blockquote, h3, h4, h5, h6")) found = found.lastElementChild;
  return found;
}

customElements.define("tb-timeline", Timeline);
