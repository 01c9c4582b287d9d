// The frame around every page: the sidebar, and beside it the page that the address names.

import { el, tell } from "../core/dom.js";
import { directory } from "../core/directory.js";
import { icon } from "../core/icons.js";
import { place, rename } from "../core/router.js";
import { sessions } from "../core/sessions.js";
import { say } from "../core/speech.js";
import { trouble, waiting } from "../parts/states.js";
import "../room/room.js";
import "./sidebar.js";

// Pages that are not needed at once come when they are asked for.
const PAGES = {
  "": ["tb-start", () => import("../start/start.js")],
  new: ["tb-room", async () => {}],
  s: ["tb-room", async () => {}],
  experts: ["tb-experts", () => import("../agents/experts.js")],
  teams: ["tb-teams", () => import("../agents/teams.js")],
  market: ["tb-market", () => import("../agents/market.js")],
  channels: ["tb-channels", () => import("../channels/channels.js")],
  people: ["tb-people", () => import("../desk/people.js")],
  deliveries: ["tb-deliveries", () => import("../desk/deliveries.js")],
  guide: ["tb-start", () => import("../start/start.js")],
  settings: ["tb-settings", () => import("../settings/settings.js")],
};

class Shell extends HTMLElement {
  async connectedCallback() {
    this.outlet = el("div", { class: "outlet" }, waiting());
    this.sidebar = el("tb-sidebar", { given: this.given });
    const open = el("button", { class: "tool opener", type: "button", "aria-label": say("menu"), title: say("menu"), onclick: () => this.drawer(true) }, icon("menu"));
    const skip = el("a", { class: "skip", href: "#content", onclick: (event) => this.skip(event) }, say("skip"));
    this.append(skip, this.sidebar, el("div", { class: "veil", onclick: () => this.drawer(false) }), this.outlet, open);
    this.moved = () => this.turn(true);
    this.addEventListener("tb-again", () => this.fill());
    this.addEventListener("tb-opened", (event) => this.opened(event.detail));
    this.keys = (event) => event.key === "Escape" && this.drawer(false);
    addEventListener("hashchange", this.moved);
    addEventListener("keydown", this.keys);
    sessions.start(this.given.user.id);
    await this.fill();
  }

  disconnectedCallback() {
    removeEventListener("hashchange", this.moved);
    removeEventListener("keydown", this.keys);
    sessions.stop();
  }

  async fill() {
    try {
      await Promise.all([directory.load(), sessions.refresh()]);
    } catch (fault) {
      if (fault.status === 401) return tell(this, "tb-signed-out");
      return this.outlet.replaceChildren(trouble(fault, () => this.fill()));
    }
    await this.turn();
  }

  // Shows the page of the address. One that was left meanwhile is not shown any more.
  async turn(moved = false) {
    const { name, id } = place();
    const wanted = (this.wanted = {});
    if (name === "" && sessions.items.length) return rename("s", sessions.items[0].id), this.turn(moved);
    const [tag, load] = PAGES[name] ?? PAGES[""];
    await load();
    if (this.wanted !== wanted) return;
    sessions.current = name === "s" ? id : null;
    this.drawer(false);
    this.outlet.replaceChildren(el(tag, { given: { ...this.given, name, id } }));
    this.sidebar.mark(name, id);
    // Who followed a link that is gone with its page goes on at the top of the new one.
    if (moved && document.activeElement === document.body) this.outlet.querySelector("h1")?.focus();
  }

  // A conversation began on the page that is shown already.
  opened(id) {
    sessions.current = id;
    this.sidebar.mark("s", id);
    sessions.refreshSoon();
  }

  drawer(open) {
    this.classList.toggle("open", open);
    if (open) this.sidebar.focusFirst();
  }

  skip(event) {
    event.preventDefault();
    this.outlet.querySelector("textarea, h1")?.focus();
  }
}

customElements.define("tb-shell", Shell);
