// The live frames of one session.

import { ask, at } from "./api.js";

const SILENCE = 45_000;
const LONGEST_PAUSE = 10_000;

// Follows a session for ever: after a break it goes on behind the last event it saw, so that nothing is lost or
// repeated. `on` has event(event), delta(frame), began() at each new connection, and state("online" | "lost").
export class Follower {
  constructor(sessionId, after, on) {
    this.sessionId = sessionId;
    this.seen = after;
    this.on = on;
    this.pause = 0;
    this.ended = false;
    this.again = () => this.hurry();
    addEventListener("online", this.again);
    document.addEventListener("visibilitychange", this.again);
    this.connect();
  }

  end() {
    this.ended = true;
    removeEventListener("online", this.again);
    document.removeEventListener("visibilitychange", this.again);
    clearTimeout(this.timer);
    clearTimeout(this.watch);
    this.socket?.close();
  }

  connect() {
    clearTimeout(this.timer);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const path = `${at("sessions", this.sessionId, "live")}?render=html&after=${this.seen}`;
    const socket = new WebSocket(`${scheme}//${location.host}${path}`);
    this.socket = socket;
    socket.onopen = () => {
      this.pause = 0;
      this.on.began();
      this.on.state("online");
      this.listen();
    };
    socket.onmessage = (message) => {
      if (this.socket !== socket || this.ended) return;
      this.listen();
      this.take(JSON.parse(message.data));
    };
    socket.onclose = () => {
      if (this.socket === socket && !this.ended) this.retry();
    };
  }

  take(frame) {
    if (frame.type === "delta") this.on.delta(frame);
    if (frame.type !== "event" || frame.event.seq <= this.seen) return;
    this.seen = frame.event.seq;
    this.on.event(frame.event);
  }

  // The server pings every 20 seconds: longer silence means a dead connection.
  listen() {
    clearTimeout(this.watch);
    this.watch = setTimeout(() => this.socket?.close(), SILENCE);
  }

  async retry() {
    clearTimeout(this.watch);
    this.socket = null;
    this.on.state("lost");
    this.pause = Math.min(LONGEST_PAUSE, this.pause * 2 || 500);
    this.timer = setTimeout(() => this.reconnect(), this.pause * (0.75 + Math.random() / 2));
  }

  // A server that is away would make the browser report a failed WebSocket; a plain request tells it quietly.
  async reconnect() {
    try {
      await ask("GET", at("sessions", this.sessionId));
    } catch (fault) {
      if (fault.status === 401 || fault.status === 404) return this.on.refused(fault);
      return this.ended || this.retry();
    }
    if (!this.ended) this.connect();
  }

  hurry() {
    if (this.ended || this.socket || document.hidden) return;
    clearTimeout(this.timer);
    this.reconnect();
  }
}
