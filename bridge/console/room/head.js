// The head of a conversation: with whom, its title, and what can be done with it.

import { el } from "../core/dom.js";
import { face } from "../core/faces.js";
import { icon } from "../core/icons.js";
import { go } from "../core/router.js";
import { sessions } from "../core/sessions.js";
import { say } from "../core/speech.js";
import { titleOfPage } from "../core/title.js";
import { ask, at } from "../core/api.js";
import { confirmed, openDialog } from "../parts/dialog.js";
import { complain, during, field, line } from "../parts/fields.js";
import { menuButton } from "../parts/menu.js";
import { archive, canArchive, discard, isOwn, restore } from "./putting-away.js";

// `changed` is called with the session as it is now, `inspect` when its details are wanted.
export function header(agent, session, changed, inspect) {
  const title = session?.title || agent.name;
  titleOfPage(title);
  const about = session?.title ? agent.name : agent.description;
  return el(
    "header",
    { class: "room-bar" },
    face(agent),
    el(
      "div",
      { class: "room-title" },
      el("h1", { tabindex: -1 }, title),
      el("p", {}, agent.kind === "team" && session?.kind !== "side" && el("span", { class: "badge accent" }, say("team_badge")), el("span", { class: "about" }, about)),
    ),
    el("span", { class: "status", role: "status" }),
    session && inspectButton(inspect),
    session && menuButton(say("session_menu"), actions(session, changed)),
  );
}

function inspectButton(inspect) {
  return el("button", { class: "tool inspect", type: "button", "aria-expanded": "false", "aria-label": say("session_details"), title: say("session_details"), onclick: inspect }, icon("info"));
}

function actions(session, changed) {
  return [
    ["edit", say("rename"), () => rename(session, changed)],
    canArchive(session) && ["archive", say("archive"), () => archive(session, changed)],
    isOwn(session) && session.status !== "ACTIVE" && ["retry", say("restore"), () => restore(session, changed)],
    isOwn(session) && ["trash", say("delete"), () => remove(session), true],
  ];
}

function rename(session, changed) {
  const title = field("title", say("title"), line({ value: session.title, required: true }));
  const below = el("p", { class: "fault", role: "alert" });
  const save = el("button", { class: "button primary", type: "submit" }, say("save"));
  const form = el("form", { onsubmit: submit }, title, below, el("div", { class: "dialog-foot" }, save));
  const dialog = openDialog(say("rename"), form);
  title.control.select();

  async function submit(event) {
    event.preventDefault();
    await during(save, async () => {
      try {
        changed(await ask("PATCH", at("sessions", session.id), { title: title.control.value }));
        sessions.refreshSoon();
        dialog.close();
      } catch (fault) {
        complain(form, fault, below);
      }
    });
  }
}

async function remove(session) {
  if (!(await confirmed(say("delete_session"), say("delete_session_text"), say("delete")))) return;
  await discard(session);
  if (!sessions.items.some((each) => each.id === session.id)) go("");
}
