// What tools do: one summary line for each call. It begins as running and is settled once; it never opens.

import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { address } from "../core/router.js";
import { sizeOf } from "../core/sizes.js";
import { say } from "../core/speech.js";

// Tools whose lines have words of the console's own; others are told in the words of the server.
const NAMED = new Set([
  "list_agents", "agent_list", "create_session", "submit_input", "send_message", "cancel_turn", "get_result", "wait_inputs", "wait_sessions",
  "ask_agent", "memory_search", "memory_save", "current_time", "file_list", "file_read", "file_write", "send_file", "web_fetch",
]);
const MARKS = { failed: "warn", interrupted: "stop" };

// The lines of one conversation. A call that was told before gets no second line.
export class ToolLines {
  calls = new Map();

  // The line of a call that is new here; null if its line stands already.
  add(event) {
    const { call = event.id, status } = event.data;
    const known = this.calls.get(call);
    if (!known) return this.begin(call, event);
    if (known.data.status === "running" && status !== "running") settle(known, { ...known.data, ...told(event.data) });
    return null;
  }

  begin(call, event) {
    const line = { element: el("div", {}), turn: event.turn_id, data: event.data };
    this.calls.set(call, line);
    settle(line, event.data);
    return line.element;
  }

  // The turn is over: what still ran was cut.
  end(turn) {
    for (const line of this.calls.values()) if (line.turn === turn && line.data.status === "running") settle(line, { ...line.data, status: "interrupted" });
  }
}

// What the answer does not know again stays as the call had it.
const told = (data) => Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));

function settle(line, data) {
  line.data = data;
  line.element.className = `slim tool-line ${data.status === "failed" || data.status === "interrupted" ? "undone" : ""}`;
  line.element.replaceChildren(mark(data.status), ...words(data));
}

const mark = (status) => (status === "running" ? el("span", { class: "mark spinning" }) : icon(MARKS[status] ?? "gear"));

function words(data) {
  const state = stateOf(data);
  return [
    el("span", {}, [titleOf(data), ...facts(data)].join(" · ")),
    state && el("span", { class: "state" }, state),
    data.session_id && el("a", { class: "look", href: address("s", data.session_id) }, say("look_at_session")),
  ].filter(Boolean);
}

function titleOf({ name, title, scope, count }) {
  if (name === "list_sessions") return say((scope ?? (count === null || count === undefined ? "project" : "all")) === "all" ? "did_list_sessions_all" : "did_list_sessions_project");
  return NAMED.has(name) ? say(`did_${name}`) : title || name;
}

function facts({ path, count, size }) {
  const isNumber = (value) => typeof value === "number";
  return [path, isNumber(count) && count > 0 && String(count), isNumber(size) && sizeOf(size)].filter(Boolean);
}

function stateOf({ status, count }) {
  if (status === "completed") return count === 0 ? say("tool_empty") : null;
  return say(`tool_${status}`);
}
