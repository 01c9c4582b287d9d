// My experts: agents one by one, never teams.

import { directory } from "../core/directory.js";
import { el } from "../core/dom.js";
import { face } from "../core/faces.js";
import { icon } from "../core/icons.js";
import { address } from "../core/router.js";
import { say } from "../core/speech.js";
import { heading, Page } from "../parts/page.js";
import { empty } from "../parts/states.js";
import "./expert-editor.js";
import { fromFile, sharedBadge, stateBadge } from "./marks.js";
import { tabs } from "./tabs.js";

class Experts extends Page {
  connectedCallback() {
    if (this.given.id === null) super.connectedCallback();
    else this.append(el("tb-expert-editor", { given: this.given }));
  }

  head() {
    const add = el("a", { class: "button primary", href: address("experts", "+") }, icon("plus"), say("new_expert"));
    return [heading(say("nav_agents"), say("experts_intro"), add), tabs("experts")];
  }

  async load() {
    await directory.load();
    return directory.experts;
  }

  content(experts) {
    if (!experts.length) {
      const market = el("a", { class: "button", href: address("market") }, say("tab_market"));
      const add = el("a", { class: "button primary", href: address("experts", "+") }, icon("plus"), say("new_expert"));
      return empty("expert", say("no_experts"), say("no_experts_text"), add, market);
    }
    return el("div", { class: "cards" }, experts.map((expert) => this.card(expert)));
  }

  card(expert) {
    return el(
      "article",
      { class: "card" },
      el("div", { class: "card-top" }, face(expert, "large"), el("div", {}, el("h2", {}, el("a", { class: "cover", href: address("experts", expert.id) }, expert.name)), el("span", { class: "card-id" }, expert.id))),
      expert.description && el("p", {}, expert.description),
      expert.state_reason && el("p", { class: "state-reason" }, expert.state_reason),
      el(
        "div",
        { class: "card-foot" },
        stateBadge(expert),
        sharedBadge(expert, this.given.user),
        fromFile(expert),
        expert.state === "running" && expert.client_visible && el("a", { class: "button small push", href: address("new", expert.id), "aria-label": say("talk_to", { name: expert.name }) }, icon("chat"), say("talk")),
      ),
    );
  }
}

customElements.define("tb-experts", Experts);
