// What a conversation is made of, beside it: its agent, its model, its settings, and what can be done with it.

import { ask, at } from "../core/api.js";
import { directory } from "../core/directory.js";
import { el } from "../core/dom.js";
import { face } from "../core/faces.js";
import { icon } from "../core/icons.js";
import { fullTime, say } from "../core/speech.js";
import { during, segments } from "../parts/fields.js";
import { toast } from "../parts/toast.js";
import { archive, canArchive } from "./putting-away.js";
import { canReopen, openReopening } from "./reopen.js";

class Inspector extends HTMLElement {
  connectedCallback() {
    const close = el("button", { class: "tool", type: "button", "aria-label": say("close"), title: say("close"), onclick: () => this.dispatchEvent(new Event("tb-close")) }, icon("cross"));
    this.body = el("div", { class: "inspector-body" });
    this.aside = el("aside", { class: "inspector", "aria-label": say("session_details"), onkeydown: (event) => event.key === "Escape" && this.dispatchEvent(new Event("tb-close")) }, el("div", { class: "inspector-head" }, el("h2", { tabindex: -1 }, say("session_details")), close), this.body);
    this.append(this.aside);
    this.show(this.given.session);
  }

  focus() {
    this.querySelector("h2").focus();
  }

  show(session) {
    this.session = session;
    const inside = this.body.contains(document.activeElement);
    this.body.replaceChildren(this.agent(), this.facts(), this.permission(), this.actions());
    if (inside) this.body.querySelector("input:checked").focus();
  }

  agent() {
    const agent = directory.agent(this.session.agent_id);
    return el("div", { class: "inspector-agent", role: "group", "aria-label": say("current_agent") }, face(agent), el("div", {}, el("strong", {}, agent.name), agent.description && el("small", {}, agent.description)));
  }

  facts() {
    const { session } = this;
    const model = session.model_id ? say("model_own", { model: session.model_id }) : say("model_of_agent", { model: directory.modelOf(directory.agent(session.agent_id)) });
    const rows = [
      ["state", session.status === "ARCHIVED" ? say("archived") : say(`phase_${session.phase}`)],
      ["model", model],
      ["execution_mode", say(`runs_${session.execution_mode}`)],
      session.project_id && ["project", session.project_id],
      session.app_id !== "console" && ["channel", session.app_id],
      ["created_at", fullTime(new Date(session.created_at))],
      ["updated_at", fullTime(new Date(session.updated_at))],
    ];
    return el("dl", { class: "facts" }, rows.filter(Boolean).flatMap(([name, value]) => [el("dt", {}, say(name)), el("dd", {}, value)]));
  }

  permission() {
    const choices = ["default", "always_trust"].map((level) => [level, say(`permission_${level}`)]);
    return segments("permission_level", say("permission_level"), choices, this.session.permission_level, (level) => this.change({ permission_level: level }));
  }

  async change(body) {
    try {
      this.given.changed(await ask("PATCH", at("sessions", this.session.id), body));
      toast(say("saved"));
    } catch (fault) {
      toast(fault.message);
      this.show(this.session);
    }
  }

  actions() {
    const { session } = this;
    const busy = session.phase !== "IDLE";
    const away = el("button", { class: "button", type: "button", onclick: () => during(away, () => archive(session, this.given.changed)) }, icon("archive"), say("archive"));
    const reopen = el("button", { class: "button", type: "button", disabled: busy, title: busy ? say("reopen_busy") : null, onclick: () => openReopening(session) }, icon("expert"), say("reopen"));
    return el("div", { class: "inspector-actions" }, canArchive(session) && away, canReopen(session) && reopen, canReopen(session) && busy && el("p", { class: "hint" }, say("reopen_busy")));
  }
}

customElements.define("tb-inspector", Inspector);
