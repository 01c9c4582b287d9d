// What the composer lets one choose: who answers, and with which model.

import { el } from "../core/dom.js";
import { agentSwitch, canSwitch } from "./agent-switch.js";
import { modelChoice, sessionModel } from "./model-choice.js";

// A child works with what it was given when it was made.
const MODELLED = new Set(["room", "direct"]);

export class Choosing {
  // `changed` is called with the session as it is then, `done` when one goes on to write.
  // `model` is what a conversation that begins is to have.
  constructor(changed, done) {
    Object.assign(this, { changed, done });
    this.model = "";
    this.element = el("div", { class: "choosing" });
  }

  // `session` is null before anything was said. What is right already is left alone: it may be open.
  show(session, agent) {
    const key = JSON.stringify([agent.id, session?.id, session?.model_id ?? this.model]);
    if (key === this.shown) return;
    this.shown = key;
    const shown = session === null ? this.before(agent) : this.during(session, agent);
    const focused = [...this.element.children].findIndex((each) => each.contains(document.activeElement));
    this.element.replaceChildren(...shown);
    shown[focused]?.querySelector("button").focus();
  }

  before(agent) {
    return [modelChoice(agent, this.model, (name) => ((this.model = name), this.show(null, agent)))];
  }

  during(session, agent) {
    const switched = (now) => (this.changed(now), this.done());
    const shown = [canSwitch(session) && agentSwitch(session, switched), MODELLED.has(session.kind) && sessionModel(session, agent, this.changed)];
    return shown.filter(Boolean);
  }
}
