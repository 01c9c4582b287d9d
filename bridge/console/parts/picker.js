// Choosing one agent: a search field that keeps the focus, and below it the options with face and name.

import { el } from "../core/dom.js";
import { face } from "../core/faces.js";
import { icon } from "../core/icons.js";
import { say } from "../core/speech.js";

let number = 0;

export class Picker {
  // `chosen` is the id of the agent that is marked; `picked` is told the agent that was taken.
  constructor(agents, chosen, picked) {
    Object.assign(this, { agents, chosen, picked, id: `picker-${++number}`, found: agents, at: 0 });
    this.search = el("input", {
      type: "search", role: "combobox", autocomplete: "off", placeholder: say("search_experts"), "aria-label": say("search_experts"),
      "aria-expanded": "true", "aria-controls": this.id, "aria-autocomplete": "list", oninput: () => this.look(), onkeydown: (event) => this.typed(event),
    });
    this.list = el("ul", { class: "options", role: "listbox", id: this.id, "aria-label": say("experts") });
    this.none = el("p", { class: "faint none", role: "status" });
    this.element = el("div", { class: "picker" }, this.search, this.list, this.none);
    this.look();
  }

  look() {
    const words = this.search.value.trim().toLowerCase();
    this.found = this.agents.filter((agent) => `${agent.name} ${agent.id} ${agent.description}`.toLowerCase().includes(words));
    this.at = Math.max(0, this.found.findIndex((agent) => agent.id === this.chosen));
    this.show();
  }

  show() {
    this.list.replaceChildren(...this.found.map((agent, index) => this.option(agent, index)));
    this.list.hidden = !this.found.length;
    this.none.textContent = this.found.length ? "" : say("nothing_found");
    this.search.setAttribute("aria-activedescendant", this.found.length ? `${this.id}-${this.at}` : "");
    this.list.children[this.at]?.scrollIntoView({ block: "nearest" });
  }

  option(agent, index) {
    const isChosen = agent.id === this.chosen;
    return el(
      "li",
      { role: "option", id: `${this.id}-${index}`, class: index === this.at ? "at" : "", "aria-selected": String(isChosen), onclick: () => this.take(agent) },
      face(agent, "small"),
      el("span", { class: "words" }, el("strong", {}, agent.name), agent.description && el("small", {}, agent.description)),
      isChosen && icon("check"),
    );
  }

  take(agent) {
    this.chosen = agent.id;
    this.look();
    this.picked(agent);
  }

  typed(event) {
    if (event.isComposing || !this.found.length) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.at = (this.at + step + this.found.length) % this.found.length;
    if (step) this.show();
    if (event.key === "Enter") this.take(this.found[this.at]);
    if (step || event.key === "Enter") event.preventDefault();
  }
}
