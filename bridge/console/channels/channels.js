// Channels: the chats of which platforms reach which team, and how they stand.

import { all } from "../core/api.js";
import { directory } from "../core/directory.js";
import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { address } from "../core/router.js";
import { say } from "../core/speech.js";
import { heading, Page } from "../parts/page.js";
import { empty } from "../parts/states.js";
import "./channel-editor.js";
import "./channel.js";
import { PLATFORMS } from "./platforms.js";
import { channelBadge } from "./state.js";

class Channels extends Page {
  connectedCallback() {
    const { id } = this.given;
    if (id === null) super.connectedCallback();
    else this.append(el(id.startsWith("+") ? "tb-channel-editor" : "tb-channel", { given: { ...this.given, platform: id.slice(1) } }));
  }

  head() {
    return heading(say("nav_channels"), say("channels_intro"));
  }

  load() {
    return all("/api/channels");
  }

  content(channels) {
    return [channels.length ? el("div", { class: "cards" }, channels.map(card)) : empty("plug", say("no_channels"), say("no_channels_text")), el("h2", { class: "section-title" }, say("add_channel")), el("div", { class: "cards" }, Object.entries(PLATFORMS).map(offer))];
  }
}

function card(channel) {
  const platform = PLATFORMS[channel.platform];
  return el(
    "article",
    { class: "card" },
    el("div", { class: "card-top" }, el("span", { class: "face large", "aria-hidden": "true" }, platform.sign), el("div", {}, el("h2", {}, el("a", { class: "cover", href: address("channels", channel.id) }, channel.id)), el("span", { class: "faint" }, say(platform.name)))),
    channel.state_reason && el("p", { class: "state-reason" }, channel.state_reason),
    el("div", { class: "card-foot" }, channelBadge(channel), el("span", { class: "faint push" }, directory.agent(channel.agent_id).name)),
  );
}

function offer([platform, { name, sign }]) {
  return el("a", { class: "card", href: address("channels", `+${platform}`) }, el("div", { class: "card-top" }, el("span", { class: "face", "aria-hidden": "true" }, sign), el("div", {}, el("h2", {}, say(name)), el("span", { class: "faint" }, say(`${platform}_about`))), icon("plus")));
}

customElements.define("tb-channels", Channels);
