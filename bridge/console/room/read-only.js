// What stands in place of the composer where one only looks: why, and where one can speak.

import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { address } from "../core/router.js";
import { say } from "../core/speech.js";
import { during } from "../parts/fields.js";
import { restore } from "./putting-away.js";

export function readOnly(session, changed, stop) {
  return el("div", { class: "read-only" }, ...words(session, changed), stopButton(stop));
}

function words(session, changed) {
  if (session.kind === "side") return look("side_note", link(roomOf(session), say("to_room")));
  if (session.kind === "peer") return look("peer_note", link(askerOf(session), say("to_asker")));
  if (session.status !== "ACTIVE") return [icon("archive"), el("p", {}, say("archived_note")), restoreButton(session, changed)];
  return look("channel_note", null, { channel: session.app_id });
}

const look = (key, way, fields = {}) => [icon("lock"), el("p", {}, say(key, fields)), way];

const link = (id, label) => el("a", { class: "button small", href: address("s", id) }, label);

// `{room}~{member}` stands behind "team:{room}", `peer:{asking session}~{colleague}` is the key of a peer session.
const roomOf = (session) => session.session_key.replace(/^team:/, "") || session.id.split("~")[0];
const askerOf = (session) => session.session_key.replace(/^peer:/, "").replace(/~[^~]*$/, "");

function restoreButton(session, changed) {
  const button = el("button", { class: "button small", type: "button", onclick: () => during(button, () => restore(session, changed)) }, say("restore"));
  return button;
}

// Only shown while the member works (the room's foot says so).
function stopButton(stop) {
  return el("button", { class: "button small halt", type: "button", onclick: stop }, icon("stop"), say("stop"));
}
