// Access tokens of this person, for programs and for signing in: made with a name, shown once, revoked any time.

import { all, ask, at } from "../core/api.js";
import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { fullTime, say } from "../core/speech.js";
import { copyBox } from "../parts/copy.js";
import { confirmed, openDialog } from "../parts/dialog.js";
import { complain, during, field, line } from "../parts/fields.js";
import { Section } from "../parts/section.js";
import { note } from "../parts/states.js";
import { toast } from "../parts/toast.js";

class Tokens extends Section {
  title = () => say("tokens");
  intro = () => say("tokens_intro");
  load = () => all("/api/tokens");

  content(tokens) {
    const make = el("button", { class: "button", type: "button", onclick: () => this.make() }, icon("plus"), say("new_token"));
    return [tokens.length ? el("div", { class: "rows", role: "list" }, tokens.map((token) => this.row(token))) : el("p", { class: "faint" }, say("no_tokens")), el("div", {}, make)];
  }

  row(token) {
    const name = token.name || say("unnamed");
    const revoke = el("button", { class: "button small", type: "button", "aria-label": say("revoke_token", { name }), onclick: () => this.revoke(token, name) }, say("revoke"));
    return el("div", { class: "row", role: "listitem" }, icon("key"), el("div", { class: "grow" }, el("strong", {}, name), el("div", { class: "meta" }, fullTime(new Date(token.created_at)))), el("div", { class: "row-actions" }, revoke));
  }

  make() {
    const name = field("name", say("token_name"), line({ required: true, maxlength: 100, placeholder: say("token_name_example") }));
    const below = el("p", { class: "fault", role: "alert" });
    const save = el("button", { class: "button primary", type: "submit" }, say("create"));
    const form = el("form", { onsubmit: (event) => this.create(event, form, name, below, save) }, name, below, el("div", { class: "dialog-foot" }, save));
    openDialog(say("new_token"), form);
    name.control.focus();
  }

  async create(event, form, name, below, save) {
    event.preventDefault();
    await during(save, async () => {
      try {
        const made = await ask("POST", "/api/tokens", { name: name.control.value });
        form.replaceWith(note("accent", "info", say("token_once")), copyBox(made.token, say("token")));
        await this.show(true);
      } catch (fault) {
        complain(form, fault, below);
      }
    });
  }

  async revoke(token, name) {
    if (!(await confirmed(say("revoke_title", { name }), say("revoke_text"), say("revoke")))) return;
    try {
      await ask("DELETE", at("tokens", token.id));
      toast(say("revoked"));
      await this.show(true);
    } catch (fault) {
      toast(fault.message);
    }
  }
}

customElements.define("tb-tokens", Tokens);
