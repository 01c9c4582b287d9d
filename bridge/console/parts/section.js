// A part of a page that asks for its own data: it waits, fails and comes back without the rest.

import { el } from "../core/dom.js";
import { say } from "../core/speech.js";
import { waiting } from "./states.js";

export class Section extends HTMLElement {
  // A section has `title()`, `intro()`, `load()` and `content(found)`.
  connectedCallback() {
    this.body = el("div", { class: "page-body" });
    this.append(el("section", { class: "group" }, el("h2", {}, this.title()), el("p", { class: "soft" }, this.intro()), this.body));
    this.show();
  }

  async show(quietly = false) {
    if (!quietly) this.body.replaceChildren(waiting(1));
    try {
      const found = await this.load();
      this.body.replaceChildren(...[this.content(found)].flat().filter(Boolean));
    } catch (fault) {
      const again = el("button", { class: "button small", type: "button", onclick: () => this.show() }, say("again"));
      this.body.replaceChildren(el("p", { class: "fault", role: "alert" }, fault.message), el("div", {}, again));
    }
  }
}
