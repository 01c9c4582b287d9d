// Who answers from the next turn on: a button in the composer, a list with a search, and a question before it is done.

import { ask, at } from "../core/api.js";
import { canTalk, directory } from "../core/directory.js";
import { el } from "../core/dom.js";
import { face } from "../core/faces.js";
import { icon } from "../core/icons.js";
import { say } from "../core/speech.js";
import { confirmed } from "../parts/dialog.js";
import { Picker } from "../parts/picker.js";
import { popover } from "../parts/popover.js";
import { toast } from "../parts/toast.js";

// Rooms are their teams', and what works for others is not switched.
export const canSwitch = (session) => session?.kind === "direct" && session.app_id === "console" && session.status === "ACTIVE";

// `changed` is called with the session as it is then.
export function agentSwitch(session, changed) {
  const agent = directory.agent(session.agent_id);
  const label = say("switch_agent_now", { name: agent.name });
  const button = el("button", { class: "pick", type: "button", title: label, "aria-label": label }, face(agent, "small"), el("span", { class: "name" }, agent.name), icon("down"));
  const place = popover(button, say("switch_agent"), () => {
    const picker = new Picker(choosable(agent), agent.id, (chosen) => (place.close(), change(session, chosen, changed, button)));
    return [picker.element, picker.search];
  });
  return place;
}

// The experts one may go on with, the present one first.
export function choosable(agent) {
  const others = directory.experts.filter((each) => each.id !== agent.id && canTalk(each));
  return agent.gone ? others : [agent, ...others];
}

async function change(session, agent, changed, button) {
  button.focus();
  if (agent.id === session.agent_id) return;
  const lines = [whichModel(session, agent), say("switch_keeps")];
  if (!(await confirmed(say("switch_title", { name: agent.name }), lines, say("switch_do"), { danger: false }))) return;
  try {
    changed(await ask("PATCH", at("sessions", session.id), { agent_id: agent.id }));
    toast(say("switched_now", { name: agent.name }));
  } catch (fault) {
    toast(fault.message);
  }
}

// A session with a model of its own keeps it.
function whichModel(session, agent) {
  return session.model_id ? say("switch_model_kept", { model: session.model_id }) : say("switch_model_new", { model: directory.modelOf(agent) });
}
