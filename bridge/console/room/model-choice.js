// The model of a conversation: its own one, or "" for what its agent uses.

import { ask, at } from "../core/api.js";
import { directory } from "../core/directory.js";
import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { say } from "../core/speech.js";
import { choiceMenu } from "../parts/menu.js";
import { toast } from "../parts/toast.js";

// `picked` is told the name, or "".
export function modelChoice(agent, chosen, picked) {
  const standard = say("default_model_named", { name: directory.modelOf(agent) });
  const named = directory.models.map(({ name, offline }) => [name, offline ? say("offline_model", { name }) : name]);
  const now = chosen || standard;
  const label = say("model_now", { name: now });
  const button = el("button", { class: "pick", type: "button", title: label, "aria-label": label }, el("span", { class: "name" }, now), icon("down"));
  return choiceMenu(button, [["", standard], ...named], chosen, picked);
}

export function sessionModel(session, agent, changed) {
  return modelChoice(agent, session.model_id ?? "", async (name) => {
    try {
      changed(await ask("PATCH", at("sessions", session.id), { model_id: name }));
    } catch (fault) {
      toast(fault.message);
    }
  });
}
