// The list of conversations, and which of them have something that was not seen in this browser.

import { all, ask, at } from "./api.js";

const PAUSE = 12_000;
// Work inside other sessions is shown there, and on the page of its expert.
const LISTED = new Set(["room", "direct"]);

class Sessions extends EventTarget {
  items = [];
  archived = [];
  current = null;
  loaded = false;

  start(userId) {
    this.key = `seen:${userId}`;
    this.seen = JSON.parse(localStorage.getItem(this.key));
    this.loaded = false;
    this.timer = setInterval(() => document.hidden || this.refresh().catch(() => {}), PAUSE);
    document.addEventListener("visibilitychange", this.look);
  }

  stop() {
    clearInterval(this.timer);
    document.removeEventListener("visibilitychange", this.look);
    this.items = [];
  }

  look = () => document.hidden || this.refresh().catch(() => {});

  async refresh() {
    const found = await all("/api/sessions", { status: "ACTIVE", limit: "200" }, 400);
    this.items = found.filter((session) => LISTED.has(session.kind));
    this.loaded = true;
    // A browser that comes for the first time has missed nothing.
    this.seen ??= Object.fromEntries(this.items.map((session) => [session.id, session.seq]));
    this.changed();
  }

  // A moment later: several things that happen at once need one look.
  refreshSoon() {
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.refresh().catch(() => {}), 400);
  }

  async loadArchived() {
    const found = await all("/api/sessions", { status: "ARCHIVED", limit: "200" }, 400);
    this.archived = found.filter((session) => LISTED.has(session.kind));
    this.changed();
  }

  isUnread(session) {
    return session.id !== this.current && session.seq > (this.seen?.[session.id] ?? 0);
  }

  see(id, seq) {
    if (!this.seen || (this.seen[id] ?? 0) >= seq) return;
    this.seen[id] = seq;
    clearTimeout(this.saving);
    this.saving = setTimeout(() => localStorage.setItem(this.key, JSON.stringify(this.seen)), 300);
  }

  async rename(id, title) {
    await ask("PATCH", at("sessions", id), { title });
    await this.refresh();
  }

  async archive(id) {
    await ask("POST", at("sessions", id, "archive"));
    await this.refresh();
  }

  async restore(id) {
    await ask("POST", at("sessions", id, "restore"));
    await Promise.all([this.refresh(), this.loadArchived()]);
  }

  async remove(id) {
    await ask("DELETE", at("sessions", id));
    await this.refresh();
  }

  changed() {
    this.dispatchEvent(new Event("change"));
  }
}

export const sessions = new Sessions();
