// A conversation: header, members, timeline, open jobs and composer, kept together by the session's frames.

import { ask, at, newKey } from "../core/api.js";
import { directory } from "../core/directory.js";
import { el, tell } from "../core/dom.js";
import { Follower } from "../core/follower.js";
import { rename } from "../core/router.js";
import { sessions } from "../core/sessions.js";
import { say } from "../core/speech.js";
import { empty, trouble } from "../parts/states.js";
import "./composer.js";
import { Desk } from "./desk.js";
import { Details } from "./details.js";
import { header } from "./head.js";
import "./jobs.js";
import "./members.js";
import { asking, Questions } from "./questions.js";
import { readOnly } from "./read-only.js";
import { Standing } from "./standing.js";
import "./timeline.js";

const RECENT = 200;
const LIVE = new Set(["RUNNING", "RESUMING", "WAITING_APPROVAL"]);
const TALKING = new Set(["room", "direct", "child"]);

class Room extends HTMLElement {
  async connectedCallback() {
    this.seeing = () => this.see();
    document.addEventListener("visibilitychange", this.seeing);
    try {
      await this.begin(this.given.name === "s" ? await ask("GET", at("sessions", this.given.id)) : null);
    } catch (fault) {
      if (fault.status === 401) return tell(this, "tb-signed-out");
      this.replaceChildren(fault.status === 404 ? empty("chat", say("session_gone"), say("session_gone_text")) : trouble(fault, () => this.again()));
    }
  }

  disconnectedCallback() {
    this.gone = true;
    document.removeEventListener("visibilitychange", this.seeing);
    this.follower?.end();
    this.desk?.end();
    this.standing?.end();
    this.questions?.end();
  }

  again() {
    tell(this, "tb-again");
  }

  async begin(session) {
    if (this.gone) return;
    this.agent = directory.agent(session?.agent_id ?? this.given.id);
    if (session === null && this.agent.gone) return this.replaceChildren(empty("chat", say("agent_gone"), say("agent_gone_text")));
    const members = session === null || session.kind === "room" ? directory.members(this.agent.id) : null;
    this.members = members && el("tb-members", { given: { members } });
    this.timeline = el("tb-timeline", {});
    this.jobs = el("tb-jobs", {});
    this.foot = el("div", { class: "foot" });
    this.asking = el("div", { class: "asking", role: "status" });
    this.details = new Details(this, (now) => this.changed(now));
    this.headPlace = el("div", { class: "room-head" });
    this.append(this.headPlace, this.members ?? "", this.timeline, this.jobs, el("div", { class: "below" }, this.asking, this.foot));
    await this.open(session, members);
  }

  async open(session, members) {
    this.session = session;
    this.showHead();
    this.showFoot(members);
    const welcome = this.agent.welcome || say(members ? "welcome" : "welcome_expert");
    const after = session === null ? 0 : Math.max(0, session.seq - RECENT);
    this.timeline.begin({ session, after, agent: this.agent, user: this.given.user, welcome });
    if (session === null) return this.composer?.focus();
    this.last = session.seq;
    this.see();
    this.standing = new Standing(session.id, (now) => this.changed(now));
    this.desk = new Desk(session, (jobs) => this.showJobs(jobs));
    this.questions = new Questions(session.id, (open) => this.showQuestions(open));
    await Promise.all([this.desk.read(), this.questions.read().catch(() => {})]);
    if (!this.gone) this.follow(session, after);
    if (!this.contains(document.activeElement)) this.composer?.focus(); // whoever has reached for something keeps it
  }

  follow(session, after) {
    this.working(LIVE.has(session.phase));
    this.follower = new Follower(session.id, after, {
      began: () => this.timeline.dropDrafts(),
      event: (event) => this.happened(event),
      delta: (frame) => this.timeline.write(frame),
      state: (state) => this.connection(state),
      refused: (fault) => tell(this, fault.status === 404 ? "tb-again" : "tb-signed-out"),
    });
  }

  happened(event) {
    if (event.kind === "turn_started") this.working(true);
    if (event.kind === "turn_ended") this.working(false);
    if (event.kind === "turn_ended" || event.kind === "user_message") sessions.refreshSoon();
    this.desk.happened(event);
    this.standing.happened(event);
    this.questions.happened(event);
    this.timeline.add(event);
    this.last = event.seq;
    this.see();
  }

  // What is on the screen of somebody who looks is seen.
  see() {
    if (this.session && !document.hidden && this.last) sessions.see(this.session.id, this.last);
  }

  // Who waits for a decision does not work meanwhile.
  showJobs(jobs) {
    const waiting = new Set(this.questions.open.map((each) => each.session_id));
    const shown = jobs.map((job) => ({ ...job, waits: job.open && waiting.has(job.side_session_id) }));
    this.members?.show(this.session, shown);
    this.jobs.show(this.session.kind === "room" ? shown.filter((job) => job.open) : []);
  }

  showQuestions(open) {
    this.asking.replaceChildren(...asking(open, (approval) => this.timeline.reveal(approval)));
    this.showJobs(this.desk.jobs);
  }

  // What stands there already is left alone: it may have the focus.
  showHead() {
    const { session, agent } = this;
    const shown = JSON.stringify([agent.id, session?.id, session?.title, session?.status]);
    if (shown === this.headShown) return;
    this.headShown = shown;
    this.headPlace.replaceChildren(header(agent, session, (changed) => this.changed(changed), () => this.details.toggle(this.session)));
    this.details.tell();
  }

  showFoot(members) {
    const session = this.session;
    if (session && (!TALKING.has(session.kind) || session.app_id !== "console" || session.status !== "ACTIVE")) {
      this.composer = null;
      return this.foot.replaceChildren(readOnly(session, (changed) => this.changed(changed), () => this.stop()));
    }
    this.composer ??= el("tb-composer", {
      given: { members, draftKey: session?.id ?? `new:${this.agent.id}`, changed: (now) => this.changed(now) },
      "ontb-say": (event) => this.speak(event.detail),
      "ontb-stop": () => this.stop(),
    });
    if (!this.composer.isConnected) this.foot.replaceChildren(this.composer);
    this.composer.show(session, this.agent);
  }

  // The session is another one than before: its title, its agent, its phase, or that it was put away.
  changed(session) {
    if (JSON.stringify(session) === JSON.stringify(this.session)) return;
    this.session = session;
    this.agent = directory.agent(session.agent_id);
    this.showHead();
    this.showFoot(directory.members(this.agent.id));
    this.details.show(session);
  }

  working(yes) {
    this.composer?.working(yes);
    this.foot.classList.toggle("at-work", yes);
  }

  connection(state) {
    const lost = state !== "online";
    this.classList.toggle("offline", lost);
    this.headPlace.querySelector(".status").textContent = lost ? say("lost") : "";
  }

  // Says the composer's words; until the server has them they stay where they are, and are sent under the same key.
  async speak({ text, mentions, files, done }) {
    try {
      if (this.session === null) await this.openSession();
      const attachments = await files();
      if (attachments === null) return done(say("files_not_sent"));
      const body = { text, mentions, ...(attachments.length && { attachments }) };
      const said = JSON.stringify(body);
      this.pending = this.pending?.said === said ? this.pending : { said, key: newKey() };
      await ask("POST", at("sessions", this.session.id, "inputs"), body, { "Idempotency-Key": this.pending.key });
      this.pending = null;
      done();
    } catch (fault) {
      done(say("not_sent", { reason: fault.message }));
      if (fault.status === 401) tell(this, "tb-signed-out");
    }
  }

  async openSession() {
    const session = await ask("POST", "/api/sessions", { agent_id: this.agent.id, ...(this.composer.model && { model_id: this.composer.model }) });
    rename("s", session.id);
    await this.open(session, directory.members(this.agent.id));
    tell(this, "tb-opened", session.id);
  }

  async stop() {
    await ask("POST", at("sessions", this.session.id, "stop")).catch(() => {});
  }
}

customElements.define("tb-room", Room);
