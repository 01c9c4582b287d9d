// Who else may use an expert: nobody, chosen people, or everybody of this instance.

import { all, ask, at } from "../core/api.js";
import { el } from "../core/dom.js";
import { say } from "../core/speech.js";
import { group, segments, toggle } from "../parts/fields.js";
import { toast } from "../parts/toast.js";

const KINDS = ["private", "users", "shared"];

// `changed` is called with the expert as it is after a change.
export function sharing(expert, changed) {
  const chosen = new Set(expert.shared_with ?? []);
  let kind = expert.visibility === "shared" ? "shared" : chosen.size ? "users" : "private";
  const words = el("p", { class: "hint" });
  const people = el("div", { class: "pair" });
  const kinds = segments("visibility", say("who_may_use"), KINDS.map((each) => [each, say(`share_${each}`)]), kind, choose);
  show();

  async function show() {
    words.textContent = say(`share_${kind}_text`);
    people.hidden = kind !== "users";
    if (people.hidden || people.childElementCount) return;
    const users = (await all("/api/users").catch(() => [])).filter((user) => user.id !== expert.owner_id);
    people.replaceChildren(...users.map(row));
    if (!users.length) people.append(el("p", { class: "faint" }, say("no_other_users")));
  }

  function row(user) {
    const made = toggle(user.id, user.name, chosen.has(user.id));
    made.input.addEventListener("change", () => {
      chosen[made.input.checked ? "add" : "delete"](user.id);
      save({ shared_with: [...chosen] });
    });
    return made;
  }

  function choose(value) {
    kind = value;
    show();
    if (kind === "users") return save({ visibility: "private", shared_with: [...chosen] });
    return save({ visibility: kind, shared_with: [] });
  }

  async function save(body) {
    try {
      changed(await ask("PATCH", at("agents", expert.id), body));
      toast(say("saved"));
    } catch (fault) {
      toast(fault.message);
    }
  }

  return group(say("sharing"), kinds, words, people);
}
