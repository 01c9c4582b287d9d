// The jobs of a room as they are now: read from the list, and again whenever an event says that something changed.

import { all, at } from "../core/api.js";

const MOMENT = 250;
const CHANGING = new Set(["job_dispatched", "member_message", "job_failed", "turn_ended"]);
const LONGEST_WAIT = 5000;

export class Desk {
  // `tell` is called with all jobs, newest first; each has `open`.
  constructor(session, tell) {
    this.session = session;
    this.tell = tell;
    this.closed = new Set();
    this.jobs = [];
  }

  end() {
    this.ended = true;
    clearTimeout(this.timer);
  }

  async read() {
    if (this.session.kind !== "room") return;
    const found = await all(at("sessions", this.session.id, "jobs"));
    if (this.ended) return;
    this.jobs = found.map((job) => ({ ...job, open: isOpen(job) && !this.closed.has(job.id) }));
    this.tell(this.jobs);
    // A job that waits begins without an event in the room.
    if (this.jobs.some((job) => job.open && job.state === "queued")) this.soon(LONGEST_WAIT);
  }

  happened(event) {
    if (event.kind === "member_message" || event.kind === "job_failed") this.close(event.job_id);
    if (CHANGING.has(event.kind)) this.soon(MOMENT);
  }

  // The event is the truth before the list is read again.
  close(id) {
    this.closed.add(id);
    const job = this.jobs.find((each) => each.id === id);
    if (!job?.open) return;
    job.open = false;
    this.tell(this.jobs);
  }

  soon(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.read().catch(() => {}), wait);
  }
}

const isOpen = (job) => job.state === "queued" || job.state === "running";
