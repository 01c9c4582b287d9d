// Choosing the members of a team: experts with a search; whoever has work for the team stays until it is done.

import { el } from "../core/dom.js";
import { face } from "../core/faces.js";
import { icon } from "../core/icons.js";
import { say } from "../core/speech.js";
import { stateBadge } from "./marks.js";

export class Roster {
  // `experts` one may choose, `chosen` ids in roster order, `busy` ids that cannot leave, `changed` is told of every choice.
  constructor(experts, chosen, busy, editable, changed) {
    Object.assign(this, { experts, chosen: [...chosen], busy, editable, changed });
    this.search = el("input", { type: "search", placeholder: say("search_experts"), "aria-label": say("search_experts"), oninput: () => this.show() });
    this.list = el("div", { class: "roster-list", role: "group", "aria-label": say("members") });
    this.none = el("p", { class: "faint", hidden: true }, say("nothing_found"));
    this.element = el("div", { class: "roster" }, this.search, this.list, this.none);
    this.rows = new Map(this.listed().map((expert) => [expert.id, this.row(expert)]));
    this.list.append(...[...this.rows.values()].map(({ element }) => element));
    this.show();
  }

  // Members first, in their order, then (if one may change it) the others; one whose expert is gone is shown too, so that it can be taken off.
  listed() {
    const known = new Map(this.experts.map((expert) => [expert.id, expert]));
    const members = this.chosen.map((id) => known.get(id) ?? { id, name: id, description: say("expert_gone"), icon: "", state: "error" });
    const others = this.experts.filter((expert) => !this.chosen.includes(expert.id));
    return this.editable ? [...members, ...others] : members;
  }

  row(expert) {
    const input = el("input", { type: "checkbox", value: expert.id, onchange: () => this.choose(expert.id, input.checked) });
    const lock = el("small", { class: "lock", hidden: true }, say("member_busy"));
    const element = el("label", { class: "roster-row" }, input, face(expert), el("span", { class: "roster-words" }, el("strong", {}, expert.name, stateBadge(expert)), el("small", {}, expert.description), lock), el("span", { class: "tick" }, icon("check")));
    return { element, input, lock, words: `${expert.name} ${expert.id} ${expert.description}`.toLowerCase() };
  }

  show() {
    const words = this.search.value.trim().toLowerCase();
    let found = 0;
    for (const [id, row] of this.rows) {
      const locked = this.busy.has(id) && this.chosen.includes(id);
      row.input.checked = this.chosen.includes(id);
      row.input.disabled = locked || !this.editable;
      row.lock.hidden = !locked;
      row.element.classList.toggle("locked", locked || !this.editable);
      row.element.hidden = !row.words.includes(words);
      found += row.element.hidden ? 0 : 1;
    }
    this.none.hidden = found > 0;
  }

  // The server said that these have work: they are members again, and locked.
  lock(ids) {
    for (const id of ids) {
      this.busy.add(id);
      if (!this.chosen.includes(id)) this.chosen.push(id);
    }
    this.show();
    this.changed(this.chosen);
  }

  choose(id, yes) {
    this.chosen = yes ? [...this.chosen, id] : this.chosen.filter((each) => each !== id);
    this.changed(this.chosen);
  }
}
