// What happens between the bubbles, one slim line each: dispatches, failures, tools, notices.

import { el } from "../core/dom.js";
import { paint } from "../core/faces.js";
import { icon } from "../core/icons.js";
import { address } from "../core/router.js";
import { duration, say } from "../core/speech.js";
import { Approvals } from "./approval.js";
import { ToolLines } from "./tools.js";

// `memory` knows what is not over yet: `jobs` the lines of open jobs, `tools` those of calls, `approvals` the questions.
// Null: nothing to show.
export function line(event, memory) {
  const make = LINES[event.kind];
  return make ? make(event, memory) : null;
}

// `later` is the memory of what came later and is shown already.
export function newMemory(sessionId, later = { tools: new ToolLines(), approvals: new Approvals(sessionId) }) {
  return { ...later, jobs: new Map() };
}

const LINES = {
  job_dispatched: dispatched,
  job_failed: failed,
  turn_ended: ended,
  notice: noticed,
  tool: (event, { tools }) => tools.add(event),
};

function slim(kind, ...words) {
  return el("div", { class: `slim ${kind}` }, words.map((each) => (typeof each === "string" ? el("span", {}, each) : each)));
}

// A question stands as a card; its answer changes the card.
function noticed(event, { approvals }) {
  const { approval } = event.data;
  return approval ? approvals.add(approval) : slim("quiet", event.text);
}

function dispatched(event, { jobs }) {
  const mark = el("span", { class: "mark spinning" });
  const time = el("span", { class: "took" });
  const side = el("a", { class: "look", href: address("s", `${event.session_id}~${event.data.agent_id}`) }, say("look_inside"));
  const made = slim("notice", mark, event.text, time, side);
  paint(made, { id: event.data.agent_id, name: event.data.name });
  jobs.set(event.job_id, { line: made, mark, time, at: event.at });
  return made;
}

function failed(event, memory) {
  closeJob(event, memory);
  return slim("wrong", icon("warn"), say("failed", { name: event.speaker.name, reason: event.text }));
}

function ended(event, { tools }) {
  tools.end(event.turn_id);
  if (event.data.status === "failed") return slim("wrong", icon("warn"), event.text);
  return event.data.status === "stopped" ? slim("quiet", icon("stop"), say("stopped")) : null;
}

// The dispatch line tells that its job is over, and how long it took.
export function closeJob(event, { jobs }) {
  const job = jobs.get(event.job_id);
  if (!job) return;
  const done = event.kind !== "job_failed";
  job.line.classList.add(done ? "done" : "undone");
  job.mark.classList.remove("spinning");
  job.mark.replaceChildren(icon(done ? "check" : "cross"));
  job.time.textContent = duration(new Date(event.at) - new Date(job.at));
  jobs.delete(event.job_id);
}
