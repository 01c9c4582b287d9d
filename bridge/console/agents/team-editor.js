// One team: its name and looks, who is on it, and how its host leads it.

import { ask, at } from "../core/api.js";
import { directory } from "../core/directory.js";
import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { address, go } from "../core/router.js";
import { say } from "../core/speech.js";
import { confirmed } from "../parts/dialog.js";
import { area, choice, complain, conflict, during, edition, field, group, line } from "../parts/fields.js";
import { heading, Page } from "../parts/page.js";
import { empty, note } from "../parts/states.js";
import { toast } from "../parts/toast.js";
import { looks } from "./looks.js";
import { isMine } from "./marks.js";
import { models } from "./choices.js";
import { pace } from "./pace.js";
import { Roster } from "./roster.js";

const NOTHING = { team_id: "", name: "", description: "", icon_url: "", color: "", model: "", welcome_message: "", guidelines: "", member_ids: [], members: [] };
const LEAST = 2;

class TeamEditor extends Page {
  get isNew() {
    return this.given.id === "+";
  }

  head() {
    const back = el("a", { class: "back", href: address("teams") }, icon("left"), say("tab_teams"));
    this.top = el("div", {}, heading(this.isNew ? say("new_team") : "", this.isNew ? say("new_team_text") : ""));
    return [back, this.top];
  }

  async load() {
    await directory.load();
    const [team, names] = await Promise.all([this.isNew ? NOTHING : ask("GET", at("teams", this.given.id)), models()]);
    return { team, names };
  }

  content({ team, names }) {
    const editable = this.isNew || isMine(team, this.given.user);
    if (!this.isNew) this.top.replaceChildren(heading(team.name, team.description));
    this.team = team;
    if (this.isNew && directory.experts.length < LEAST) return this.fewExperts();
    this.form = this.fields(team, names, editable);
    return [team.state_reason && note("wrong", "warn", team.state_reason), !editable && note("", "lock", say("from_file_text")), this.form];
  }

  fewExperts() {
    const market = el("a", { class: "button", href: address("market") }, say("tab_market"));
    const add = el("a", { class: "button primary", href: address("experts", "+") }, icon("plus"), say("new_expert"));
    return empty("expert", say("few_experts"), say("few_experts_text"), add, market);
  }

  fields(team, names, editable) {
    const busy = new Set(team.members.filter((member) => member.busy).map((member) => member.agent_id));
    this.name = field("name", say("team_name"), line({ value: team.name, required: true, maxlength: 100, oninput: () => this.looks.paint() }));
    this.looks = looks(team.team_id, { icon: team.icon_url, color: team.color }, () => this.name.control.value);
    this.description = field("description", say("description"), line({ value: team.description, maxlength: 500 }), { optional: true });
    this.model = field("model", say("host_model"), choice(names, team.model), { hint: say("host_model_hint") });
    this.welcome = field("welcome_message", say("welcome_message"), area({ rows: 2, value: team.welcome_message }), { hint: say("welcome_hint"), optional: true });
    this.guidelines = field("guidelines", say("guidelines"), area({ rows: 6, value: team.guidelines, placeholder: say("guidelines_example") }), { hint: say("guidelines_hint"), optional: true });
    this.pace = pace(team);
    this.count = el("span", { class: "badge" });
    this.roster = new Roster(directory.experts, team.member_ids, busy, editable, (ids) => this.counted(ids));
    this.members = Object.assign(el("div", { class: "field" }, el("p", { class: "hint" }, say("roster_hint")), this.roster.element, el("p", { class: "fault" })), { path: "member_ids" });
    Object.assign(this.members, { control: this.roster.search, complaint: this.members.lastElementChild });
    const form = el(
      "form",
      { class: "form", onsubmit: (event) => this.save(event) },
      group("", this.looks, this.name, this.description),
      el("section", { class: "group" }, el("h2", { class: "row-title" }, say("members"), this.count), this.members),
      group(say("the_host"), this.model, this.welcome, this.guidelines),
      this.pace,
      editable && this.foot(),
    );
    this.counted(team.member_ids);
    if (!editable) for (const control of form.querySelectorAll("input:not([type=search]), textarea, select")) control.disabled = true;
    return form;
  }

  counted(ids) {
    this.count.textContent = say("members_count", { count: ids.length });
    this.count.className = ids.length < LEAST ? "badge warn" : "badge good";
  }

  foot() {
    this.below = el("p", { class: "fault", role: "alert" });
    this.button = el("button", { class: "button primary", type: "submit" }, say(this.isNew ? "create_team" : "save"));
    const remove = !this.isNew && el("button", { class: "button danger", type: "button", onclick: () => this.remove() }, say("delete"));
    return el("div", { class: "form-foot" }, this.button, el("a", { class: "quiet", href: address("teams") }, say("cancel")), this.below, remove && el("span", { class: "push" }, remove));
  }

  said() {
    return {
      name: this.name.control.value,
      description: this.description.control.value,
      icon_url: this.looks.value.icon,
      color: this.looks.value.color,
      model: this.model.control.value,
      welcome_message: this.welcome.control.value,
      guidelines: this.guidelines.control.value,
      member_ids: this.roster.chosen,
      ...this.pace.said(),
    };
  }

  async save(event) {
    event.preventDefault();
    complain(this.form, null, this.below);
    if (this.roster.chosen.length < LEAST) return complain(this.form, { message: say("members_too_few"), details: { path: "member_ids" } }, this.below);
    await during(this.button, async () => {
      try {
        if (this.isNew) await ask("POST", "/api/teams", this.said());
        else await ask("PATCH", at("teams", this.team.team_id), this.said(), edition(this.team));
        await directory.load();
        toast(say(this.isNew ? "team_created" : "saved"));
        if (this.isNew) go("teams");
        else await this.show(true);
      } catch (fault) {
        this.refused(fault);
      }
    });
  }

  // What is about members is said at the members; those with work are locked from now on.
  refused(fault) {
    const about = fault.code?.startsWith("TEAM_MEMBER");
    if (fault.code === "TEAM_MEMBER_BUSY") this.roster.lock(fault.details.member_agent_ids ?? []);
    if (fault.code === "EDIT_CONFLICT") return conflict(this.below, fault, () => this.show());
    complain(this.form, about ? { ...fault, message: fault.message, details: { path: "member_ids" } } : fault, this.below);
  }

  async remove() {
    if (!(await confirmed(say("delete_team", { name: this.team.name }), say("delete_team_text"), say("delete")))) return;
    try {
      await ask("DELETE", at("teams", this.team.team_id));
      await directory.load();
      toast(say("deleted"));
      go("teams");
    } catch (fault) {
      this.refused(fault);
    }
  }
}

customElements.define("tb-team-editor", TeamEditor);
