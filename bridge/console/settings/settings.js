// Settings: how the console looks and speaks, what models were used for, this person's tokens, and the users for admins.

import { el, tell } from "../core/dom.js";
import { address } from "../core/router.js";
import { currentLocale, say } from "../core/speech.js";
import { chooseTheme, chosenTheme } from "../core/theme.js";
import { group, segments } from "../parts/fields.js";
import { heading } from "../parts/page.js";
import "./tokens.js";
import "./usage.js";
import "./users.js";

class Settings extends HTMLElement {
  connectedCallback() {
    const { user } = this.given;
    const body = el("div", { class: "page-body" }, this.looks(), el("tb-usage", {}), el("tb-tokens", {}), user.role === "admin" ? el("tb-users", { given: this.given }) : null, this.help());
    this.append(el("main", { class: "page" }, el("div", { class: "page-column" }, heading(say("nav_settings"), say("settings_intro", { name: user.name })), body)));
  }

  looks() {
    const languages = segments("locale", say("interface_language"), [["zh-CN", "中文"], ["en", "English"]], currentLocale(), (name) => {
      localStorage.setItem("locale", name);
      tell(this, "tb-language");
    });
    const themes = segments("theme", say("appearance"), ["system", "light", "dark"].map((each) => [each, say(`theme_${each}`)]), chosenTheme(), chooseTheme);
    return group(say("looks"), el("div", { class: "pair" }, languages, themes));
  }

  help() {
    return group(say("help"), el("div", { class: "page-actions" }, el("a", { class: "button", href: address("guide") }, say("first_steps")), el("a", { class: "button", href: "/api/docs", target: "_blank" }, say("api_docs"))));
  }
}

customElements.define("tb-settings", Settings);
