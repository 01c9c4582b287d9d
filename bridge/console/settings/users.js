// Users of this instance, for admins: who may come in, as what, and their first way in.

import { all, ask, at } from "../core/api.js";
import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { say } from "../core/speech.js";
import { copyBox } from "../parts/copy.js";
import { openDialog } from "../parts/dialog.js";
import { complain, during, field, line, segments } from "../parts/fields.js";
import { Section } from "../parts/section.js";
import { note } from "../parts/states.js";
import { toast } from "../parts/toast.js";

class Users extends Section {
  title = () => say("users");
  intro = () => say("users_intro");
  load = () => all("/api/users");

  content(users) {
    const make = el("button", { class: "button", type: "button", onclick: () => this.make() }, icon("plus"), say("new_user"));
    return [el("div", { class: "rows", role: "list" }, users.map((user) => this.row(user))), el("div", {}, make)];
  }

  row(user) {
    const self = user.id === this.given.user.id;
    const off = !user.enabled;
    const power = el("button", { class: "button small", type: "button", onclick: () => this.change(power, user, { enabled: off }) }, say(off ? "let_in" : "keep_out"));
    const invite = el("button", { class: "button small", type: "button", onclick: () => this.invite(invite, user) }, say("login_link"));
    return el(
      "div",
      { class: "row", role: "listitem" },
      icon("expert"),
      el("div", { class: "grow" }, el("div", { class: "row-title" }, el("strong", {}, user.name), el("span", { class: "badge" }, say(`role_${user.role}`)), off && el("span", { class: "badge wrong" }, say("kept_out")), self && el("span", { class: "badge accent" }, say("you")))),
      el("div", { class: "row-actions" }, !off && invite, !self && power),
    );
  }

  make() {
    const name = field("name", say("name"), line({ required: true, maxlength: 100 }));
    const role = segments("role", say("role"), [["member", say("role_member")], ["admin", say("role_admin")]], "member");
    const below = el("p", { class: "fault", role: "alert" });
    const save = el("button", { class: "button primary", type: "submit" }, say("create"));
    const form = el("form", { onsubmit: submit }, name, role, below, el("div", { class: "dialog-foot" }, save));
    openDialog(say("new_user"), form);
    name.control.focus();
    const section = this;

    async function submit(event) {
      event.preventDefault();
      await during(save, async () => {
        try {
          const made = await ask("POST", "/api/users", { name: name.control.value, role: role.value });
          form.replaceWith(...way(await link(made)));
          await section.show(true);
        } catch (fault) {
          complain(form, fault, below);
        }
      });
    }
  }

  async invite(button, user) {
    await during(button, async () => {
      try {
        openDialog(user.name, way(await link(user)));
      } catch (fault) {
        toast(fault.message);
      }
    });
  }

  async change(button, user, body) {
    await during(button, async () => {
      try {
        await ask("PATCH", at("users", user.id), body);
        await this.show(true);
      } catch (fault) {
        toast(fault.message);
      }
    });
  }
}

// How somebody comes in: a link, from where this console is, that works once.
const link = (user) => ask("POST", at("users", user.id, "login-links"));

function way({ url }) {
  const { pathname, search } = new URL(url);
  return [note("accent", "info", say("link_once")), copyBox(`${location.origin}${pathname}${search}`, say("login_link"))];
}

customElements.define("tb-users", Users);
