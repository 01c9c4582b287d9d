// The sidebar: begin a conversation, go on with one, or go to another page.

import { el, tell } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { ask } from "../core/api.js";
import { address } from "../core/router.js";
import { currentLocale, say } from "../core/speech.js";
import { chooseTheme } from "../core/theme.js";
import { openNewChat } from "./new-chat.js";
import "./session-list.js";
import { watchOffice } from "./office.js";

const PAGES = [
  ["teams", "team", "nav_agents", ["experts", "teams", "market"]],
  ["channels", "plug", "nav_channels", ["channels"]],
  ["people", "people", "nav_people", ["people"]],
  ["deliveries", "outbox", "nav_deliveries", ["deliveries"]],
  ["settings", "gear", "nav_settings", ["settings"]],
];

class Sidebar extends HTMLElement {
  connectedCallback() {
    const { user } = this.given;
    this.links = PAGES.map((page) => this.link(page));
    this.list = el("tb-session-list", {});
    this.fresh = el("button", { class: "button fresh", type: "button", onclick: openNewChat }, icon("plus"), say("fresh"));
    this.append(
      el("div", { class: "brand" }, el("img", { src: "/console/icon.svg", alt: "", width: 26, height: 26 }), el("strong", {}, "teambridge")),
      this.fresh,
      el("nav", { class: "conversations", "aria-label": say("conversations") }, this.list),
      el("nav", { class: "pages", "aria-label": say("pages") }, el("ul", {}, this.links.map((link) => el("li", {}, link)))),
      this.account(user),
    );
    this.stopWatching = watchOffice((name, count) => this.count(name, count));
  }

  disconnectedCallback() {
    this.stopWatching();
  }

  link([name, shape, label]) {
    const made = el("a", { href: address(name) }, icon(shape), el("span", {}, say(label)), el("span", { class: "count", hidden: true }));
    made.dataset.page = name;
    return made;
  }

  // How many things of a page wait for somebody.
  count(name, number) {
    const badge = this.links.find((link) => link.dataset.page === name).querySelector(".count");
    badge.hidden = number === 0;
    badge.textContent = number > 99 ? "99+" : String(number);
    badge.setAttribute("aria-label", say("waiting_count", { count: number }));
    badge.setAttribute("role", "img");
  }

  account(user) {
    const dark = document.documentElement.dataset.theme === "dark";
    const theme = tool(dark ? "sun" : "moon", say("theme"), () => this.switchTheme(theme));
    const language = el("button", { class: "tool", type: "button", title: say("language"), "aria-label": say("language"), onclick: () => this.translate() }, say("language_short"));
    return el("div", { class: "account" }, el("span", { class: "name", title: user.name }, user.name), language, theme, tool("out", say("logout"), () => this.leave()));
  }

  switchTheme(button) {
    const dark = document.documentElement.dataset.theme !== "dark";
    chooseTheme(dark ? "dark" : "light");
    button.replaceChildren(icon(dark ? "sun" : "moon"));
  }

  translate() {
    localStorage.setItem("locale", currentLocale() === "en" ? "zh-CN" : "en");
    tell(this, "tb-language");
  }

  async leave() {
    await ask("POST", "/api/logout").catch(() => {});
    history.replaceState(null, "", "/");
    tell(this, "tb-signed-out");
  }

  mark(name, id) {
    for (const link of this.links) {
      const [, , , names] = PAGES.find(([page]) => page === link.dataset.page);
      if (names.includes(name)) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    this.list.mark(name === "s" ? id : null);
  }

  focusFirst() {
    this.fresh.focus();
  }
}

function tool(shape, label, onclick) {
  return el("button", { class: "tool", type: "button", title: label, "aria-label": label, onclick }, icon(shape));
}

customElements.define("tb-sidebar", Sidebar);
