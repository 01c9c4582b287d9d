// Going on with another agent in a new conversation: this one is archived, and a hand-over note waits in the composer.

import { ask, at, newKey } from "../core/api.js";
import { directory } from "../core/directory.js";
import { el } from "../core/dom.js";
import { keepDraft } from "../core/drafts.js";
import { go } from "../core/router.js";
import { sessions } from "../core/sessions.js";
import { say } from "../core/speech.js";
import { openDialog } from "../parts/dialog.js";
import { during } from "../parts/fields.js";
import { Picker } from "../parts/picker.js";
import { toast } from "../parts/toast.js";
import { choosable } from "./agent-switch.js";

const LONG = 8000;

// Not for what works for others, and not without a workspace that this instance keeps.
export const canReopen = (session) => session.kind === "direct" && session.app_id === "console" && session.execution_mode === "CLOUD" && session.status === "ACTIVE";

export function openReopening(session) {
  const key = newKey();
  const agent = directory.agent(session.agent_id);
  let chosen = null;
  const picker = new Picker(choosable(agent).filter((each) => each.id !== agent.id), null, take);
  const below = el("p", { class: "fault", role: "alert" });
  const button = el("button", { class: "button primary", type: "submit", disabled: true }, say("reopen_do"));
  const cancel = el("button", { class: "button", type: "button", onclick: () => dialog.close() }, say("cancel"));
  const wait = el("p", { class: "faint", role: "status" });
  const form = el("form", { onsubmit: submit }, el("p", { class: "soft" }, say("reopen_text")), el("p", { class: "soft" }, say("reopen_note")), picker.element, below, el("div", { class: "dialog-foot" }, wait, cancel, button));
  const dialog = openDialog(say("reopen"), form);
  picker.search.focus();

  function take(expert) {
    chosen = expert;
    button.disabled = false;
    button.focus();
  }

  async function submit(event) {
    event.preventDefault();
    if (chosen === null) return;
    await during(button, async () => {
      below.textContent = "";
      wait.textContent = say("reopen_wait");
      try {
        arrive(await ask("POST", at("sessions", session.id, "reopen-with-agent"), { agent_id: chosen.id }, { "Idempotency-Key": key }));
        dialog.close();
      } catch (fault) {
        below.textContent = fault.message;
      }
      wait.textContent = "";
    });
  }
}

// The note is there to be read and changed; nobody sends it but the person.
function arrive({ session_id, handover_note }) {
  if (handover_note) keepDraft(session_id, handover_note);
  else toast(say("reopen_no_note"), LONG);
  go("s", session_id);
  sessions.refreshSoon();
}
