// The way to the bot for people: its link, and the same as a code for the camera of a phone.

import { at } from "../core/api.js";
import { el } from "../core/dom.js";
import { say } from "../core/speech.js";
import { group } from "../parts/fields.js";
import { copyBox } from "../parts/copy.js";

// Null where the platform has no such link, or has not told it yet.
export function wayIn(channel) {
  if (!channel.link) return null;
  const code = el("img", { class: "qr", src: at("channels", channel.id, "qr"), alt: say("qr_alt", { link: channel.link }), width: 160, height: 160 });
  const open = el("a", { class: "button", href: channel.link, target: "_blank", rel: "noopener noreferrer" }, say("open"));
  const words = el("div", { class: "way-words" }, el("p", { class: "soft" }, say("way_in_text")), copyBox(channel.link, say("bot_link")), el("div", {}, open));
  return group(say("way_in"), el("div", { class: "way-in" }, code, words));
}
