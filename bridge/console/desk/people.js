// People of the channels: who knocks, who is in, who is kept out.

import { ask, at } from "../core/api.js";
import { el, tell } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { fullTime, say } from "../core/speech.js";
import { confirmed } from "../parts/dialog.js";
import { during } from "../parts/fields.js";
import { ListPage } from "../parts/list-page.js";
import { empty } from "../parts/states.js";
import { toast } from "../parts/toast.js";
import { askCode } from "./code.js";

class People extends ListPage {
  path = "/api/people";
  words = ["nav_people", "people_intro", "people_state"];
  states = ["pending", "approved", "blocked", "known"].map((state) => [state, `person_${state}`]);

  empty(state) {
    return state === "pending" ? empty("people", say("no_pending"), say("no_pending_text")) : empty("people", say("no_people"), "");
  }

  head() {
    const code = el("button", { class: "button", type: "button", onclick: () => askCode(() => this.show(true)) }, icon("key"), say("approve_code"));
    const [heading, ...rest] = super.head();
    heading.lastElementChild.append(code);
    return [heading, ...rest];
  }

  row(person) {
    const name = person.name || person.external_id;
    const approve = el("button", { class: "button small primary", type: "button", "aria-label": say("approve_person", { name }), onclick: () => this.decide(person, "approve", approve) }, say("approve"));
    const block = el("button", { class: "button small", type: "button", "aria-label": say("block_person", { name }), onclick: () => this.block(person, name, block) }, say("block"));
    return el(
      "div",
      { class: "row", role: "listitem" },
      el("div", { class: "grow" }, el("div", { class: "row-title" }, el("strong", {}, name), el("span", { class: "badge" }, person.channel_id)), el("div", { class: "meta" }, `${person.external_id} · ${fullTime(new Date(person.created_at))}`)),
      person.state === "pending" && person.pairing_code && el("span", { class: "code", "aria-label": say("pairing_code", { code: person.pairing_code }), role: "img" }, person.pairing_code),
      el("div", { class: "row-actions" }, person.state !== "approved" && approve, person.state !== "blocked" && block),
    );
  }

  async block(person, name, button) {
    if (await confirmed(say("block_title", { name }), say("block_text"), say("block"))) await this.decide(person, "block", button);
  }

  async decide(person, verb, button) {
    await during(button, async () => {
      try {
        await ask("POST", at("people", person.id, verb));
        toast(say(verb === "approve" ? "approved_now" : "blocked_now"));
        tell(this, "tb-office");
        await this.show(true);
      } catch (fault) {
        toast(fault.message);
      }
    });
  }
}

customElements.define("tb-people", People);
