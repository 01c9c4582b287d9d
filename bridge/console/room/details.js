// The details beside a conversation, opened and closed by the button in its head. Their module comes when they are wanted.

import { el } from "../core/dom.js";

export class Details {
  // `changed` is called with the session as it is after a change made there.
  constructor(room, changed) {
    Object.assign(this, { room, changed, inspector: null });
  }

  async toggle(session) {
    await import("./inspector.js");
    if (this.inspector) this.close();
    else this.open(session);
    this.tell();
  }

  open(session) {
    this.inspector = el("tb-inspector", { given: { session, changed: this.changed }, "ontb-close": () => this.toggle() });
    this.room.append(this.inspector);
    this.inspector.focus();
  }

  close() {
    this.inspector.remove();
    this.inspector = null;
    this.button?.focus();
  }

  show(session) {
    this.inspector?.show(session);
  }

  // The head is made anew at times: its button must know.
  tell() {
    this.room.classList.toggle("inspected", Boolean(this.inspector));
    this.button?.setAttribute("aria-expanded", String(Boolean(this.inspector)));
  }

  get button() {
    return this.room.querySelector(".inspect");
  }
}
