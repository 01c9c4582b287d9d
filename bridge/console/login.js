// Coming in with an access token, for those whose one-time link is spent.

import { ask } from "./core/api.js";
import { el } from "./core/dom.js";
import { say } from "./core/speech.js";

class Login extends HTMLElement {
  connectedCallback() {
    this.field = el("input", { type: "password", id: "token", autocomplete: "current-password", required: true, maxlength: 1000 });
    this.fault = el("p", { class: "fault", role: "alert" });
    this.append(
      el(
        "main",
        { class: "login" },
        el("img", { src: "/console/icon.svg", alt: "", width: 56, height: 56 }),
        el("h1", {}, say("login_title")),
        el("p", {}, say(this.given.expired ? "login_expired" : "login_text")),
        el(
          "form",
          { onsubmit: (event) => this.submit(event) },
          el("input", { type: "text", autocomplete: "username", value: "owner", hidden: true, readonly: true }),
          el("label", { for: "token" }, say("token")),
          this.field,
          el("button", { class: "button primary", type: "submit" }, say("login")),
          this.fault,
        ),
      ),
    );
    this.field.focus();
  }

  async submit(event) {
    event.preventDefault();
    this.fault.textContent = "";
    try {
      await ask("POST", "/api/login", { token: this.field.value });
      this.dispatchEvent(new Event("tb-signed-in", { bubbles: true }));
    } catch (fault) {
      this.fault.textContent = fault.status === 429 ? say("login_wait") : fault.message;
      this.field.select();
    }
  }
}

customElements.define("tb-login", Login);
