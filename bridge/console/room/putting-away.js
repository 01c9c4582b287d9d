// Archiving a conversation and taking it out of the archive.

import { ask, at } from "../core/api.js";
import { sessions } from "../core/sessions.js";
import { say } from "../core/speech.js";
import { toast } from "../parts/toast.js";

const RESTING = new Set(["room", "direct"]);

// What works inside another conversation stays with it.
export const isOwn = (session) => RESTING.has(session.kind);

export const canArchive = (session) => isOwn(session) && session.status === "ACTIVE";

export const archive = (session, changed) => run(changed, () => ask("POST", at("sessions", session.id, "archive")), say("archived_now"));

export const restore = (session, changed) => run(changed, () => ask("POST", at("sessions", session.id, "restore")), say("restored_now"));

export const discard = (session) => run(() => {}, () => ask("DELETE", at("sessions", session.id)), say("deleted"));

// `changed` is called with the session as it is then.
async function run(changed, work, word) {
  try {
    changed(await work());
    toast(word);
    await sessions.refresh();
  } catch (fault) {
    toast(fault.message);
  }
}
