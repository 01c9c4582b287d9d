// One expert: what it is, how it looks, what it may do, who may use it, and its conversations.

import { all, ask, at } from "../core/api.js";
import { directory } from "../core/directory.js";
import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { address, go } from "../core/router.js";
import { say } from "../core/speech.js";
import { confirmed } from "../parts/dialog.js";
import { area, choice, complain, conflict, during, edition, field, group, line, toggle } from "../parts/fields.js";
import { heading, Page } from "../parts/page.js";
import { note } from "../parts/states.js";
import { toast } from "../parts/toast.js";
import { looks } from "./looks.js";
import { isMine } from "./marks.js";
import { models, toolNames } from "./choices.js";
import { publishing } from "./publishing.js";
import { sharing } from "./sharing.js";
import { work } from "./work.js";

const NOTHING = { id: "", name: "", description: "", icon: "", color: "", model: "", instructions: "", welcome: "", visibility: "private", enabled: true, client_visible: true, cooperation: true, tools: [] };
const TOOLS = ["file_read", "file_write", "file_list", "web_fetch"];

class ExpertEditor extends Page {
  get isNew() {
    return this.given.id === "+";
  }

  head() {
    const back = el("a", { class: "back", href: address("experts") }, icon("left"), say("tab_experts"));
    this.top = el("div", {}, heading(this.isNew ? say("new_expert") : ""));
    return [back, this.top];
  }

  async load() {
    const [expert, names, offered] = await Promise.all([this.isNew ? NOTHING : ask("GET", at("agents", this.given.id)), models(), toolNames()]);
    const sessions = this.isNew ? [] : await all("/api/sessions", { agent_id: expert.id, limit: "50" }, 50);
    return { expert, names, offered, sessions };
  }

  content({ expert, names, offered, sessions }) {
    const editable = this.isNew || isMine(expert, this.given.user);
    if (!this.isNew) this.top.replaceChildren(heading(expert.name, expert.description));
    this.expert = expert;
    this.form = this.fields(expert, names, offered, editable);
    return [expert.state_reason && note("wrong", "warn", expert.state_reason), !editable && note("", "lock", say(expert.origin === "config" ? "from_file_text" : "not_mine_text")), this.form, sessions.length ? work(sessions) : null];
  }

  fields(expert, names, offered, editable) {
    this.name = field("name", say("name"), line({ value: expert.name, required: true, maxlength: 100, oninput: () => this.looks.paint() }));
    this.looks = looks(expert.id, { icon: expert.icon, color: expert.color }, () => this.name.control.value);
    this.id_ = this.isNew && field("id", say("agent_id"), line({ pattern: "[a-z0-9][a-z0-9_\\-]{0,63}", placeholder: "researcher" }), { hint: say("agent_id_hint"), optional: true });
    this.description = field("description", say("description"), line({ value: expert.description, maxlength: 500 }), { hint: say("description_hint"), optional: true });
    this.model = field("model", say("model"), choice(names, expert.model), { hint: say("model_hint") });
    this.instructions = field("instructions", say("instructions"), area({ rows: 9, value: expert.instructions }), { hint: say("instructions_hint") });
    this.welcome = field("welcome", say("welcome_message"), area({ rows: 2, value: expert.welcome }), { optional: true });
    this.toggles = [
      toggle("enabled", say("enabled"), expert.enabled, say("enabled_hint")),
      toggle("client_visible", say("client_visible"), expert.client_visible, say("client_visible_hint")),
      toggle("cooperation", say("cooperation"), expert.cooperation, say("cooperation_hint")),
    ];
    const tools = [...new Set([...offered, ...expert.tools])];
    this.tools = tools.map((name) => toggle(name, TOOLS.includes(name) ? say(`tool_${name}`) : name, expert.tools.includes(name)));
    // Who borrows an expert sees no instructions: no empty field either.
    const works = [this.instructions, this.welcome].filter((each) => editable || each.control.value);
    const form = el(
      "form",
      { class: "form", onsubmit: (event) => this.save(event) },
      group("", this.looks, el("div", { class: "pair" }, this.name, this.id_), this.description, this.model),
      works.length ? group(say("how_it_works"), ...works) : null,
      this.tools.length ? group(say("tools"), el("div", { class: "pair" }, this.tools)) : null,
      group(say("use"), ...this.toggles),
      !this.isNew && editable && sharing(expert, (now) => this.took(now)),
      !this.isNew && editable && publishing(expert, (now) => this.took(now)),
      editable && this.foot(),
    );
    if (!editable) for (const control of form.querySelectorAll("input, textarea, select")) control.disabled = true;
    return form;
  }

  foot() {
    this.below = el("p", { class: "fault", role: "alert" });
    this.button = el("button", { class: "button primary", type: "submit" }, say(this.isNew ? "create" : "save"));
    const remove = !this.isNew && el("button", { class: "button danger", type: "button", onclick: () => this.remove() }, say("delete"));
    return el("div", { class: "form-foot" }, this.button, el("a", { class: "quiet", href: address("experts") }, say("cancel")), this.below, remove && el("span", { class: "push" }, remove));
  }

  // What the form says now; an id only if one was chosen.
  said() {
    const body = { name: this.name.control.value, ...this.looks.value, tools: [...this.tools.filter((each) => each.input.checked).map((each) => each.path)] };
    for (const name of ["description", "model", "instructions", "welcome"]) body[name] = this[name].control.value;
    for (const each of this.toggles) body[each.path] = each.input.checked;
    if (this.isNew && this.id_.control.value) body.id = this.id_.control.value;
    return body;
  }

  // What was changed beside the form is no change by somebody else.
  took(now) {
    this.expert = now;
  }

  async save(event) {
    event.preventDefault();
    await during(this.button, async () => {
      try {
        complain(this.form, null, this.below);
        if (this.isNew) await ask("POST", "/api/agents", this.said());
        else await ask("PATCH", at("agents", this.expert.id), this.said(), edition(this.expert));
        await directory.load();
        toast(say(this.isNew ? "created" : "saved"));
        if (this.isNew) go("experts");
        else await this.show(true);
      } catch (fault) {
        if (fault.code === "EDIT_CONFLICT") conflict(this.below, fault, () => this.show());
        else complain(this.form, fault, this.below);
      }
    });
  }

  async remove() {
    if (!(await confirmed(say("delete_expert", { name: this.expert.name }), say("delete_expert_text"), say("delete")))) return;
    try {
      await ask("DELETE", at("agents", this.expert.id));
      await directory.load();
      toast(say("deleted"));
      go("experts");
    } catch (fault) {
      complain(this.form, fault, this.below);
    }
  }
}

customElements.define("tb-expert-editor", ExpertEditor);
