// A page that shows one list by state, page after page. A kind of it has `path`, `words`, `states`, `row` and `empty`.

import { ask } from "../core/api.js";
import { el } from "../core/dom.js";
import { say } from "../core/speech.js";
import { during, segments } from "./fields.js";
import { heading, Page } from "./page.js";
import { toast } from "./toast.js";

const PAGE = "50";

export class ListPage extends Page {
  head() {
    const [title, intro, label] = this.words;
    this.state = this.states[0][0];
    const states = segments("state", say(label), this.states.map(([value, word]) => [value, say(word)]), this.state, (state) => this.choose(state));
    states.classList.add("states");
    return [heading(say(title), say(intro)), states];
  }

  choose(state) {
    this.state = state;
    return this.show();
  }

  load(cursor = "") {
    return ask("GET", `${this.path}?${new URLSearchParams({ state: this.state, limit: PAGE, ...(cursor && { cursor }) })}`);
  }

  content({ items, next }) {
    if (!items.length) return this.empty(this.state);
    this.rows = el("div", { class: "rows", role: "list" }, items.map((item) => this.row(item)));
    return [this.rows, next && this.more(next)];
  }

  more(cursor) {
    const button = el("button", { class: "button more-rows", type: "button", onclick: () => during(button, () => this.extend(button, cursor)) }, say("more"));
    return button;
  }

  async extend(button, cursor) {
    try {
      const { items, next } = await this.load(cursor);
      this.rows.append(...items.map((item) => this.row(item)));
      button.replaceWith(...(next ? [this.more(next)] : []));
    } catch (fault) {
      toast(fault.message);
    }
  }
}
