// Deliveries: what was sent to the platforms, and what could not be.

import { ask, at } from "../core/api.js";
import { el, tell } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { address } from "../core/router.js";
import { fullTime, say } from "../core/speech.js";
import { during } from "../parts/fields.js";
import { ListPage } from "../parts/list-page.js";
import { empty } from "../parts/states.js";
import { toast } from "../parts/toast.js";

const COLOURS = { pending: "warn", sent: "good", dead: "wrong", uncertain: "warn" };
const AGAIN = new Set(["dead", "uncertain"]);

class Deliveries extends ListPage {
  path = "/api/deliveries";
  words = ["nav_deliveries", "deliveries_intro", "delivery_state"];
  states = ["dead", "uncertain", "pending", "sent"].map((state) => [state, `delivery_${state}`]);

  empty(state) {
    return empty("outbox", say(`no_${state}_delivery`), say(`no_${state}_delivery_text`));
  }

  row(delivery) {
    const retry = el("button", { class: "button small", type: "button", onclick: () => this.retry(delivery, retry) }, icon("retry"), say("retry"));
    return el(
      "div",
      { class: "row", role: "listitem" },
      el(
        "div",
        { class: "grow" },
        el("div", { class: "row-title" }, el("span", { class: `badge lamp ${COLOURS[delivery.state]}` }, say(`delivery_${delivery.state}`)), el("span", { class: "meta" }, `${delivery.channel_id} · ${delivery.chat_id} · #${delivery.seq}`)),
        el("p", { class: "more-text" }, delivery.text),
        delivery.reason && el("p", { class: "reason" }, delivery.reason),
        el("div", { class: "meta" }, this.times(delivery)),
      ),
      el("div", { class: "row-actions" }, el("a", { class: "button small", href: address("s", delivery.session_id) }, say("open")), AGAIN.has(delivery.state) && retry),
    );
  }

  times(delivery) {
    const made = fullTime(new Date(delivery.created_at));
    const tries = say("attempts", { count: delivery.attempts });
    if (delivery.state === "pending") return `${made} · ${tries} · ${say("next_try", { at: fullTime(new Date(delivery.due_at)) })}`;
    return delivery.sent_at ? `${say("sent_at", { at: fullTime(new Date(delivery.sent_at)) })} · ${tries}` : `${made} · ${tries}`;
  }

  async retry(delivery, button) {
    await during(button, async () => {
      try {
        await ask("POST", at("deliveries", delivery.id, "retry"));
        toast(say("retried"));
        tell(this, "tb-office");
        await this.show(true);
      } catch (fault) {
        toast(fault.message);
      }
    });
  }
}

customElements.define("tb-deliveries", Deliveries);
