// Showing an expert to everybody of this instance on the market, as something to copy.

import { ask, at } from "../core/api.js";
import { el } from "../core/dom.js";
import { say } from "../core/speech.js";
import { during, group } from "../parts/fields.js";
import { toast } from "../parts/toast.js";

// `changed` is called with the expert as it is after a change.
export function publishing(expert, changed) {
  let published = Boolean(expert.published);
  const button = el("button", { class: "button", type: "button", onclick: change });
  const words = el("p", { class: "hint" });
  show();

  function show() {
    button.textContent = say(published ? "unpublish" : "publish");
    words.textContent = say(published ? "published_text" : "publish_text");
  }

  async function change() {
    await during(button, async () => {
      try {
        await ask(published ? "DELETE" : "POST", at("agents", expert.id, "publish"));
        changed(await ask("GET", at("agents", expert.id)));
        published = !published;
        toast(say(published ? "published_now" : "unpublished_now"));
      } catch (fault) {
        toast(fault.message);
      }
    });
    show();
  }

  return group(say("tab_market"), words, el("div", {}, button));
}
