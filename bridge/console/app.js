// The console: finds out who is there, then shows the shell or the login.

import { ask } from "./core/api.js";
import { el } from "./core/dom.js";
import { setLocale } from "./core/speech.js";
import { followTheme } from "./core/theme.js";
import "./login.js";
import { region } from "./parts/toast.js";
import "./shell/shell.js";

const PAUSE = 3000;

class App extends HTMLElement {
  async connectedCallback() {
    followTheme();
    region();
    for (const name of ["tb-signed-in", "tb-signed-out", "tb-language"]) this.addEventListener(name, () => this.begin());
    const expired = location.pathname === "/login";
    if (expired) history.replaceState(null, "", "/");
    await this.begin(expired);
  }

  async begin(expired = false) {
    let known;
    try {
      known = await ask("GET", "/api/console");
    } catch (fault) {
      return this.apologise(fault);
    }
    setLocale(localStorage.getItem("locale") ?? known.locale);
    if (known.user === null) return this.show("tb-login", { expired });
    this.show("tb-shell", { user: known.user, locale: known.locale });
  }

  show(name, given) {
    for (const open of document.querySelectorAll("dialog")) open.close();
    this.replaceChildren(el(name, { given }));
  }

  apologise(fault) {
    this.replaceChildren(el("p", { class: "alone", role: "alert" }, fault.message));
    setTimeout(() => this.begin(), PAUSE);
  }
}

customElements.define("tb-app", App);
