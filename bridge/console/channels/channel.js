// One channel: how it stands, its last error, a check, its chats, its settings, and the set-up guide.

import { all, ask, at } from "../core/api.js";
import { directory } from "../core/directory.js";
import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { address, go } from "../core/router.js";
import { fullTime, say } from "../core/speech.js";
import { confirmed } from "../parts/dialog.js";
import { during, edition, group } from "../parts/fields.js";
import { fold } from "../parts/fold.js";
import { heading, Page } from "../parts/page.js";
import { note } from "../parts/states.js";
import { toast } from "../parts/toast.js";
import { guide } from "./guide.js";
import { PLATFORMS } from "./platforms.js";
import { channelBadge } from "./state.js";
import { wayIn } from "./way-in.js";

class Channel extends Page {
  head() {
    this.top = el("div", {}, heading(this.given.id));
    return [el("a", { class: "back", href: address("channels") }, icon("left"), say("nav_channels")), this.top];
  }

  async load() {
    const [channel, chats] = await Promise.all([ask("GET", at("channels", this.given.id)), all(at("channels", this.given.id, "chats"))]);
    return { channel, chats };
  }

  content({ channel, chats }) {
    this.channel = channel;
    const editable = channel.origin !== "config";
    this.top.replaceChildren(heading(channel.id, say(PLATFORMS[channel.platform].name), ...this.actions(editable)));
    return [
      channel.state === "error" && channel.enabled && note("wrong", "warn", channel.state_reason || say("channel_error")),
      !editable && note("", "lock", say("from_file_text")),
      group("", this.facts(channel), this.checks()),
      wayIn(channel),
      el("section", {}, el("h2", { class: "section-title" }, say("chats")), this.chats(chats)),
      fold(say("setup_guide"), guide(channel.platform, channel.hook_url)),
    ];
  }

  actions(editable) {
    if (!editable) return [];
    const { channel } = this;
    const power = el("button", { class: "button", type: "button", onclick: () => this.change(power, { enabled: !channel.enabled }) }, say(channel.enabled ? "turn_off" : "turn_on"));
    return [power, el("a", { class: "button", href: address("channels", `+${channel.platform}`, channel.id) }, icon("edit"), say("edit")), el("button", { class: "button danger", type: "button", onclick: () => this.remove() }, say("delete"))];
  }

  facts(channel) {
    const agent = directory.agent(channel.agent_id);
    const rows = [
      [say("state"), channelBadge(channel)],
      [say("speaks_with"), el("a", { href: address(agent.kind === "team" ? "teams" : "experts", agent.id) }, agent.name)],
      [say("private_chats"), say(`access_${channel.access}`)],
      [say("group_chats"), say(`groups_${channel.groups}`)],
      [say("answers"), say(`mode_${channel.response_mode}`)],
      channel.secrets.length > 0 && [say("credentials"), say("secrets_set", { names: channel.secrets.join(", ") })],
    ];
    return el("dl", { class: "facts" }, rows.filter(Boolean).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
  }

  checks() {
    this.found = el("div", { class: "steps-found", role: "status" });
    const button = el("button", { class: "button", type: "button", onclick: () => this.check(button) }, icon("check"), say("check"));
    return el("div", {}, button, this.found);
  }

  async check(button) {
    await during(button, async () => {
      try {
        const { findings } = await ask("POST", at("channels", this.channel.id, "check"));
        this.found.replaceChildren(...findings.map(finding));
      } catch (fault) {
        this.found.replaceChildren(el("p", { class: "fault" }, fault.message));
      }
    });
  }

  chats(chats) {
    if (!chats.length) return el("p", { class: "soft" }, say("no_chats"));
    return el("div", { class: "rows", role: "list" }, chats.map((chat) => this.chat(chat)));
  }

  // A group that knocked shows its code: who approves it here lets the whole group in.
  chat(chat) {
    const isGroup = chat.type === "group";
    const approve = el("button", { class: "button small primary", type: "button", onclick: () => this.serve(approve, chat) }, say("approve"));
    return el(
      "div",
      { class: "row", role: "listitem" },
      icon(isGroup ? "people" : "expert"),
      el("div", { class: "grow" }, el("strong", {}, chat.title || chat.id), el("div", { class: "meta" }, `${say(isGroup ? "group_chat" : "private_chat")} · ${fullTime(new Date(chat.created_at))}`)),
      isGroup && chat.served && el("span", { class: "badge good" }, say("served")),
      chat.pairing_code && el("span", { class: "code", role: "img", "aria-label": say("pairing_code", { code: chat.pairing_code }) }, chat.pairing_code),
      chat.pairing_code && el("div", { class: "row-actions" }, approve),
    );
  }

  async serve(button, chat) {
    await during(button, async () => {
      try {
        await ask("POST", "/api/people/approve", { code: chat.pairing_code });
        toast(say("approved_now"));
        await this.show(true);
      } catch (fault) {
        toast(fault.message);
      }
    });
  }

  async change(button, body) {
    await during(button, async () => {
      try {
        await ask("PATCH", at("channels", this.channel.id), body, edition(this.channel));
        await this.show(true);
      } catch (fault) {
        toast(fault.message);
      }
    });
  }

  async remove() {
    if (!(await confirmed(say("delete_channel", { name: this.channel.id }), say("delete_channel_text"), say("delete")))) return;
    try {
      await ask("DELETE", at("channels", this.channel.id), undefined, edition(this.channel));
      toast(say("deleted"));
      go("channels");
    } catch (fault) {
      toast(fault.message);
    }
  }
}

function finding(found) {
  const shape = { ok: "check", warning: "warn", failed: "cross" }[found.status];
  return el("p", { class: `finding ${found.status}` }, icon(shape), el("span", {}, el("code", {}, found.key), " ", found.text));
}

customElements.define("tb-channel", Channel);
