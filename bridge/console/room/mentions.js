// The list of members behind an @: only a hint to the host, who decides.

import { el } from "../core/dom.js";
import { face } from "../core/faces.js";
import { say } from "../core/speech.js";

export class Mentions {
  constructor(area, members, changed) {
    Object.assign(this, { area, members, changed, at: 0, found: [] });
    this.list = el("ul", { class: "mentions", role: "listbox", id: "mention-list", "aria-label": say("members"), hidden: true });
    area.setAttribute("aria-autocomplete", "list");
    area.setAttribute("aria-controls", "mention-list");
    area.addEventListener("blur", () => this.hide());
    area.addEventListener("click", () => this.look());
  }

  // Writes an @ where the cursor is.
  begin() {
    const { area } = this;
    area.focus();
    const before = area.value.slice(0, area.selectionStart);
    area.setRangeText(/\S$/.test(before) ? " @" : "@", area.selectionStart, area.selectionEnd, "end");
    this.changed();
  }

  look() {
    const word = this.word();
    this.found = word === null ? [] : this.members.filter((member) => member.name.toLowerCase().startsWith(word) || member.agent_id.startsWith(word));
    if (!this.found.length || document.activeElement !== this.area) return this.hide();
    this.at = Math.min(this.at, this.found.length - 1);
    this.list.replaceChildren(...this.found.map((member, index) => this.entry(member, index)));
    this.list.hidden = false;
    this.area.setAttribute("aria-activedescendant", `mention-${this.at}`);
  }

  // What was typed behind the @ that the cursor is in; null without one.
  word() {
    const before = this.area.value.slice(0, this.area.selectionStart);
    return /(?:^|[\s，。：、])@([^\s@]{0,40})$/.exec(before)?.[1].toLowerCase() ?? null;
  }

  entry(member, index) {
    const speaker = { id: member.agent_id, name: member.name, icon: member.icon_url, color: member.color };
    const pick = (event) => (event.preventDefault(), this.pick(member));
    return el("li", { role: "option", id: `mention-${index}`, "aria-selected": String(index === this.at), onmousedown: pick }, face(speaker, "small"), el("span", {}, member.name));
  }

  // Whether the key was for the list.
  took(event) {
    if (this.list.hidden || event.isComposing) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.at = (this.at + step + this.found.length) % this.found.length;
    else if (event.key === "Enter" || event.key === "Tab") this.pick(this.found[this.at]);
    else if (event.key === "Escape") return this.hide(), true;
    else return false;
    event.preventDefault();
    if (step) this.look();
    return true;
  }

  pick(member) {
    const { area } = this;
    const start = area.selectionStart - this.word().length;
    area.setRangeText(`${member.name} `, start, area.selectionStart, "end");
    this.hide();
    this.changed();
  }

  hide() {
    this.at = 0;
    this.list.hidden = true;
    this.area.removeAttribute("aria-activedescendant");
  }

  // The ids of members that a text names.
  named(text) {
    return this.members.filter((member) => text.includes(`@${member.name}`)).map((member) => member.agent_id);
  }
}
