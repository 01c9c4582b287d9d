// Making or changing a channel: the form at the left, the platform's guide beside it.

import { ask, at } from "../core/api.js";
import { directory } from "../core/directory.js";
import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { address, go, place } from "../core/router.js";
import { say } from "../core/speech.js";
import { choice, complain, conflict, during, edition, field, group, line, segments } from "../parts/fields.js";
import { heading, Page } from "../parts/page.js";
import { empty } from "../parts/states.js";
import { toast } from "../parts/toast.js";
import { finer } from "./finer.js";
import { guide } from "./guide.js";
import { newSecret, PLATFORMS } from "./platforms.js";

const ACCESS = ["pairing", "allowlist", "open"];
const GROUPS = ["off", "mention", "all"];

class ChannelEditor extends Page {
  head() {
    this.platform = PLATFORMS[this.given.platform] ? this.given.platform : "webhook";
    this.changed = place().rest ?? null;
    const title = say("new_channel", { platform: say(PLATFORMS[this.platform].name) });
    return [el("a", { class: "back", href: address("channels") }, icon("left"), say("nav_channels")), heading(this.changed ?? title, say("secrets_stay"))];
  }

  async load() {
    await directory.load();
    return this.changed === null ? null : ask("GET", at("channels", this.changed));
  }

  content(channel) {
    if (!directory.agents.length) return empty("team", say("nobody"), say("nobody_text"), el("a", { class: "button primary", href: address("teams", "+") }, say("new_team")));
    this.channel = channel;
    this.form = this.fields(channel);
    return el("div", { class: "beside" }, this.form, el("aside", { "aria-label": say("setup_guide") }, el("h2", {}, say("setup_guide")), guide(this.platform, channel?.hook_url ?? `${location.origin}/hooks/${this.platform}`)));
  }

  fields(channel) {
    const agents = [...directory.agents].sort((one, other) => (one.kind === other.kind ? 0 : one.kind === "team" ? -1 : 1)).map((agent) => [agent.id, agent.kind === "team" ? say("team_option", { name: agent.name }) : agent.name]);
    this.id_ = channel === null && field("id", say("channel_id"), line({ value: this.platform, required: true, pattern: "[a-z0-9][a-z0-9_\\-]{0,31}" }), { hint: say("channel_id_hint") });
    this.agent = field("agent_id", say("speaks_with"), choice(agents, channel?.agent_id ?? agents[0][0]));
    this.access = segments("access", say("private_chats"), ACCESS.map((each) => [each, say(`access_${each}`)]), channel?.access ?? "pairing");
    this.groups = segments("groups", say("group_chats"), GROUPS.map((each) => [each, say(`groups_${each}`)]), channel?.groups ?? "mention");
    this.finer = finer(channel);
    this.own = PLATFORMS[this.platform].fields.map((spec) => this.control(spec, channel));
    this.below = el("p", { class: "fault", role: "alert" });
    this.button = el("button", { class: "button primary", type: "submit" }, say(channel === null ? "connect" : "save"));
    const form = el(
      "form",
      { class: "form", onsubmit: (event) => this.save(event), onchange: () => this.fit() },
      group("", this.id_, this.agent),
      group(say("credentials"), ...this.own.map((each) => each.field)),
      group(say("who_may_speak"), this.access, this.groups),
      this.finer,
      el("div", { class: "form-foot" }, this.button, el("a", { class: "quiet", href: address("channels") }, say("cancel")), this.below),
    );
    this.fit();
    return form;
  }

  // One field of the platform. A secret that is there already is only written when something new is typed.
  control(spec, channel) {
    const kept = channel?.secrets.includes(spec.name) ?? false;
    const properties = { placeholder: kept ? say("unchanged") : spec.placeholder, required: spec.need && !kept };
    const control = Array.isArray(spec.kind)
      ? choice(spec.kind.map((each) => [each, say(`option_${each}`)]), channel?.settings[spec.name] ?? spec.kind[0])
      : line({ ...properties, type: spec.kind === "secret" ? "password" : "text", autocomplete: spec.kind === "secret" ? "new-password" : "off", maxlength: 2000, value: spec.kind === "text" ? channel?.settings[spec.name] ?? "" : "" });
    const place = spec.make ? el("div", { class: "with-button" }, control, el("button", { class: "button", type: "button", onclick: () => this.make(control) }, say("make_one"))) : control;
    return { spec, control, field: field(spec.name, say(`field_${spec.name}`), place, { hint: say(`field_${spec.name}_hint`), optional: !spec.need && !Array.isArray(spec.kind) }) };
  }

  // A new secret is shown: this is the only moment to take it along.
  make(control) {
    control.type = "text";
    control.value = newSecret();
    control.select();
  }

  // Fields that only one mode needs.
  fit() {
    const values = Object.fromEntries(this.own.map(({ spec, control }) => [spec.name, control.value]));
    for (const { spec, field: shown } of this.own) shown.hidden = Object.entries(spec.only ?? {}).some(([name, value]) => values[name] !== value);
  }

  said() {
    const body = { agent_id: this.agent.control.value, access: this.access.value, groups: this.groups.value, ...this.finer.said() };
    for (const { spec, control, field: shown } of this.own) if (!shown.hidden && control.value) body[spec.name] = control.value;
    return this.changed === null ? { ...body, id: this.id_.control.value, platform: this.platform } : body;
  }

  async save(event) {
    event.preventDefault();
    await during(this.button, async () => {
      try {
        complain(this.form, null, this.below);
        const channel = this.changed === null ? await ask("POST", "/api/channels", this.said()) : await ask("PATCH", at("channels", this.changed), this.said(), edition(this.channel));
        toast(say("saved"));
        go("channels", channel.id);
      } catch (fault) {
        if (fault.code === "EDIT_CONFLICT") conflict(this.below, fault, () => this.show());
        else complain(this.form, fault, this.below);
      }
    });
  }
}

customElements.define("tb-channel-editor", ChannelEditor);
