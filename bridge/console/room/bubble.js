// A bubble: who speaks (face, name, colour), when, and the words.

import { el } from "../core/dom.js";
import { face, paint } from "../core/faces.js";
import { clockTime, fullTime, say } from "../core/speech.js";
import { attached } from "./attached.js";

// `event` needs a speaker and `at` (null while the words are being written).
export function bubble(event, body, kind, user) {
  const mine = event.speaker.role === "user";
  const made = el(
    "article",
    { class: `bubble ${kind} ${mine ? "mine" : "theirs"}` },
    mine ? null : face(event.speaker),
    el("div", { class: "words" }, who(event, kind, mine, user), body, attached(event)),
  );
  paint(made, event.speaker);
  return made;
}

function who(event, kind, mine, user) {
  const { speaker } = event;
  return el(
    "div",
    { class: "who" },
    el("span", { class: "name" }, mine && speaker.id === user.id ? say("you") : speaker.name),
    badge(speaker, kind),
    event.at && el("time", { datetime: event.at, title: fullTime(new Date(event.at)) }, clockTime(new Date(event.at))),
  );
}

function badge(speaker, kind) {
  if (kind === "wrapup") return el("span", { class: "badge wrapup-badge" }, say("wrapup"));
  if (kind === "user_message" && speaker.role !== "user") return el("span", { class: "badge" }, say("task_sheet"));
  return speaker.role === "host" ? el("span", { class: "role" }, say("host")) : null;
}

// The words of an event, null if it has none. Only the server's sanitised rendering is ever markup.
export function spoken(event) {
  if (!event.text.trim() && !event.data?.stopped) return null;
  const body = el("div", { class: "text" });
  if (event.html) body.innerHTML = event.html;
  else body.append(el("div", { class: "plain" }, event.text));
  if (event.data?.stopped) body.append(el("p", { class: "cut" }, say("stopped")));
  for (const link of body.querySelectorAll("a[href]")) Object.assign(link, { target: "_blank", rel: "noopener noreferrer" });
  return body;
}

export const dots = () => el("span", { class: "dots", role: "img", "aria-label": say("thinking") }, el("i"), el("i"), el("i"));
