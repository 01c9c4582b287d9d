// How a session stands now (its phase, its title): read again a moment after something happened in it.

import { ask, at } from "../core/api.js";

const MOMENT = 350;
const CHANGING = new Set(["turn_started", "turn_ended", "notice"]);

export class Standing {
  // `tell` is called with the session as the server has it.
  constructor(id, tell) {
    Object.assign(this, { id, tell });
  }

  happened(event) {
    if (!CHANGING.has(event.kind)) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.read().catch(() => {}), MOMENT);
  }

  async read() {
    const session = await ask("GET", at("sessions", this.id));
    if (!this.ended) this.tell(session);
  }

  end() {
    this.ended = true;
    clearTimeout(this.timer);
  }
}
