// The market: templates that came along, and experts that people of this instance published.

import { all, ask } from "../core/api.js";
import { directory } from "../core/directory.js";
import { el } from "../core/dom.js";
import { face } from "../core/faces.js";
import { address, go } from "../core/router.js";
import { say } from "../core/speech.js";
import { during } from "../parts/fields.js";
import { heading, Page } from "../parts/page.js";
import { empty } from "../parts/states.js";
import { toast } from "../parts/toast.js";
import { tabs } from "./tabs.js";

class Market extends Page {
  head() {
    return [heading(say("nav_agents"), say("market_intro")), tabs("market")];
  }

  load() {
    return all("/api/experts");
  }

  content(found) {
    if (!found.length) return empty("market", say("no_templates"), say("no_templates_text"), el("a", { class: "button primary", href: address("experts", "+") }, say("new_expert")));
    this.cards = el("div", { class: "cards" }, found.map((template) => this.card(template)));
    this.none = el("p", { class: "faint", hidden: true }, say("nothing_found"));
    const search = el("input", { type: "search", placeholder: say("search_market"), "aria-label": say("search_market"), oninput: () => this.filter(search.value.trim().toLowerCase()) });
    return [el("div", { class: "filter" }, search), this.cards, this.none];
  }

  card(template) {
    const use = el("button", { class: "button small push", type: "button", "aria-label": say("use_template", { name: template.name }), onclick: () => this.take(use, template) }, say("use_it"));
    const made = el(
      "article",
      { class: "card" },
      el("div", { class: "card-top" }, face({ ...template, id: template.template_name }, "large"), el("div", {}, el("h2", {}, template.name))),
      el("p", {}, template.description),
      el("div", { class: "card-foot" }, el("span", { class: template.source === "instance" ? "badge accent" : "badge" }, say(`source_${template.source}`)), use),
    );
    made.dataset.words = `${template.name} ${template.description}`.toLowerCase();
    return made;
  }

  filter(words) {
    let found = 0;
    for (const card of this.cards.children) {
      card.hidden = !card.dataset.words.includes(words);
      found += card.hidden ? 0 : 1;
    }
    this.none.hidden = found > 0;
  }

  async take(button, template) {
    await during(button, async () => {
      try {
        const agent = await ask("POST", "/api/agents", { template_name: template.template_name });
        await directory.load();
        toast(say("template_used", { name: agent.name }));
        go("experts", agent.id);
      } catch (fault) {
        toast(fault.message);
      }
    });
  }
}

customElements.define("tb-market", Market);
