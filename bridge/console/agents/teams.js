// My teams: made and changed here; one talks with them from the sidebar.

import { directory } from "../core/directory.js";
import { el } from "../core/dom.js";
import { face } from "../core/faces.js";
import { icon } from "../core/icons.js";
import { address } from "../core/router.js";
import { say } from "../core/speech.js";
import { heading, Page } from "../parts/page.js";
import { empty } from "../parts/states.js";
import { fromFile, stateBadge } from "./marks.js";
import { tabs } from "./tabs.js";
import "./team-editor.js";

const SHOWN = 6;

class Teams extends Page {
  connectedCallback() {
    if (this.given.id === null) super.connectedCallback();
    else this.append(el("tb-team-editor", { given: this.given }));
  }

  head() {
    const add = el("a", { class: "button primary", href: address("teams", "+") }, icon("plus"), say("new_team"));
    return [heading(say("nav_agents"), say("teams_intro"), add), tabs("teams")];
  }

  async load() {
    await directory.load();
    return directory.teams;
  }

  content(teams) {
    if (teams.length) return el("div", { class: "cards" }, teams.map(card));
    const add = el("a", { class: "button primary", href: address("teams", "+") }, icon("plus"), say("new_team"));
    return empty("team", say("no_teams"), say("no_teams_text"), add);
  }
}

function card(team) {
  const looks = { id: team.team_id, name: team.name, icon: team.icon_url, color: team.color };
  return el(
    "article",
    { class: "card" },
    el("div", { class: "card-top" }, face(looks, "large"), el("div", {}, el("h2", {}, el("a", { class: "cover", href: address("teams", team.team_id) }, team.name)), el("span", { class: "faint" }, say("members_count", { count: team.member_ids.length })))),
    team.description && el("p", {}, team.description),
    team.state_reason && el("p", { class: "state-reason" }, team.state_reason),
    el("div", { class: "card-foot" }, faces(team.members), el("span", { class: "push" }), stateBadge(team), fromFile(team)),
  );
}

function faces(members) {
  const shown = members.slice(0, SHOWN).map((member) => face({ id: member.agent_id, name: member.name, icon: member.icon_url, color: member.color }, "small stacked"));
  const rest = members.length - SHOWN;
  const label = members.map((member) => member.name).join(" · ");
  return el("span", { class: "stack", role: "img", "aria-label": label, title: label }, shown, rest > 0 && el("span", { class: "badge" }, `+${rest}`));
}

customElements.define("tb-teams", Teams);
