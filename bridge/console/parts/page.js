// The frame of every page but the room: a heading, a sentence about it, its actions, and what it shows.

import { el, tell } from "../core/dom.js";
import { titleOfPage } from "../core/title.js";
import { trouble, waiting } from "./states.js";

export function heading(title, intro = "", ...actions) {
  titleOfPage(title);
  return el(
    "header",
    { class: "page-head" },
    el("div", {}, el("h1", { tabindex: -1 }, title), intro && el("p", { class: "soft" }, intro)),
    el("div", { class: "page-actions" }, actions),
  );
}

export class Page extends HTMLElement {
  // A page has `head()` for what is known at once, `load()` for what it asks, and `content(found)`.
  connectedCallback() {
    this.body = el("div", { class: "page-body" });
    this.append(el("main", { class: "page" }, el("div", { class: "page-column" }, this.head(), this.body)));
    this.show();
  }

  async show(quietly = false) {
    if (!quietly) this.body.replaceChildren(waiting());
    try {
      const found = await this.load();
      if (this.isConnected) this.body.replaceChildren(...[this.content(found)].flat().filter(Boolean));
    } catch (fault) {
      if (fault.status === 401) return tell(this, "tb-signed-out");
      if (!fault.code && fault.status === undefined) throw fault;
      this.body.replaceChildren(trouble(fault, () => this.show()));
    }
  }
}
