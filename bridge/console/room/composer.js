// Where one writes: Enter sends, Shift+Enter begins a new line, @ names a member, files come along, a turn can be stopped.

import { el } from "../core/dom.js";
import { draftOf, keepDraft } from "../core/drafts.js";
import { icon } from "../core/icons.js";
import { say } from "../core/speech.js";
import { Choosing } from "./choosing.js";
import { Mentions } from "./mentions.js";
import { Tray } from "./tray.js";

const TALLEST = 220;

class Composer extends HTMLElement {
  connectedCallback() {
    if (this.area) return;
    const { members, draftKey, changed } = this.given;
    this.key = draftKey;
    this.choosing = new Choosing(changed, () => this.focus());
    this.tray = new Tray(() => this.changed(), (words) => (this.fault.textContent = words));
    const words = say(members ? "placeholder" : "placeholder_expert");
    this.area = el("textarea", { rows: 1, "aria-label": say("message"), placeholder: words, enterkeyhint: "send", onkeydown: (event) => this.typed(event), oninput: () => this.changed(), onpaste: (event) => this.pasted(event) });
    this.area.value = draftOf(this.key);
    this.mentions = new Mentions(this.area, members ?? [], () => this.changed());
    this.button = el("button", { class: "button primary send", type: "submit" }, icon("send"), el("span", {}, say("send")));
    this.halt = el("button", { class: "button halt", type: "button", hidden: true, onclick: () => this.dispatchEvent(new Event("tb-stop")) }, icon("stop"), el("span", {}, say("stop")));
    this.fault = el("p", { class: "fault", role: "alert" });
    const chooser = el("input", { type: "file", multiple: true, hidden: true, onchange: () => (this.tray.add(chooser.files), (chooser.value = "")) });
    const clip = el("button", { class: "tool", type: "button", title: say("add_files"), "aria-label": say("add_files"), onclick: () => chooser.click() }, icon("clip"));
    const at = members?.length ? el("button", { class: "tool", type: "button", title: say("mention"), "aria-label": say("mention"), onclick: () => this.mentions.begin() }, "@") : null;
    const form = el(
      "form",
      { onsubmit: (event) => this.submit(event), ondragover: (event) => this.dragged(event), ondragleave: () => this.drop(false), ondrop: (event) => this.dragged(event, true) },
      this.tray.element,
      this.area,
      chooser,
      el("div", { class: "actions" }, at, clip, this.choosing.element, el("span", { class: "hint" }, say("hint")), this.halt, this.button),
      el("div", { class: "drop", "aria-hidden": "true" }, say("drop_files")),
    );
    this.form = form;
    this.append(el("div", { class: "composer" }, this.fault, this.mentions.list, form));
    this.changed();
  }

  focus() {
    if (!matchMedia("(pointer: coarse)").matches) this.area.focus();
  }

  // With whom one talks; `session` is null before anything was said.
  show(session, agent) {
    if (session && this.tray.session === null) this.tray.belongsTo(session);
    this.choosing.show(session, agent);
  }

  // The model that a conversation begins with, "" for its agent's.
  get model() {
    return this.choosing.model;
  }

  // Whether a turn can be stopped.
  working(yes) {
    this.halt.hidden = !yes;
  }

  // Enter that picks a word of an input method is not for us.
  typed(event) {
    if (this.mentions.took(event)) return;
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    this.submit(event);
  }

  submit(event) {
    event.preventDefault();
    const text = this.area.value.trim();
    if (this.button.disabled) return;
    this.busy = true;
    this.changed();
    const detail = { text, mentions: this.mentions.named(text), files: () => this.tray.ready(), done: (fault) => this.sent(fault) };
    this.dispatchEvent(new CustomEvent("tb-say", { detail }));
  }

  sent(fault) {
    this.busy = false;
    this.fault.textContent = fault ?? "";
    if (!fault) this.area.value = "";
    if (!fault) this.tray.clear();
    this.changed();
    this.focus();
  }

  dragged(event, dropped = false) {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    this.drop(!dropped);
    if (dropped) this.tray.add(event.dataTransfer.files);
  }

  // A picture from the clipboard is a file; text that comes with one (from an office program) is what was meant.
  pasted(event) {
    const { files, types } = event.clipboardData;
    if (!files.length || types.includes("text/plain")) return;
    event.preventDefault();
    this.tray.add(files);
  }

  drop(yes) {
    this.form.classList.toggle("dropping", yes);
  }

  changed() {
    const isBlank = !this.area.value.trim() && this.tray.isEmpty;
    this.button.disabled = Boolean(this.busy) || isBlank || this.tray.isFaulty;
    this.button.classList.toggle("busy", Boolean(this.busy));
    keepDraft(this.key, this.area.value);
    this.mentions.look();
    this.area.style.height = "auto";
    this.area.style.height = `${Math.min(this.area.scrollHeight, TALLEST)}px`;
  }
}

customElements.define("tb-composer", Composer);
