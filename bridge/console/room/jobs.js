// Open jobs: who works on what, since when, and a way to call it off.

import { ask, at } from "../core/api.js";
import { directory } from "../core/directory.js";
import { el } from "../core/dom.js";
import { face } from "../core/faces.js";
import { duration, say } from "../core/speech.js";
import { during } from "../parts/fields.js";
import { toast } from "../parts/toast.js";

class Jobs extends HTMLElement {
  connectedCallback() {
    this.list = el("ul", {});
    this.section = el("section", { class: "jobs", "aria-label": say("jobs"), hidden: true }, this.list);
    this.append(this.section);
    this.rows = new Map();
  }

  disconnectedCallback() {
    clearInterval(this.ticking);
  }

  show(jobs) {
    const open = new Set(jobs.map((job) => job.id));
    for (const [id, row] of this.rows) {
      if (open.has(id)) continue;
      row.element.remove();
      this.rows.delete(id);
    }
    for (const job of [...jobs].reverse()) this.update(job);
    this.section.hidden = jobs.length === 0;
    clearInterval(this.ticking);
    if (jobs.length) this.ticking = setInterval(() => this.tick(), 1000);
    this.tick();
  }

  update(job) {
    const row = this.rows.get(job.id) ?? this.row(job);
    row.job = job;
    row.state.textContent = say(job.waits ? "waits" : job.state === "running" ? "working" : "queued");
  }

  row(job) {
    const state = el("span", { class: "state" });
    const time = el("time", {});
    const cancel = el("button", { class: "button small", type: "button", "aria-label": say("cancel_job", { name: job.name }), onclick: () => this.cancel(job, cancel) }, say("cancel"));
    const element = el("li", {}, face(directory.agent(job.agent_id), "small"), el("strong", {}, job.name), state, time, el("span", { class: "task", title: job.message }, job.message.split("\n")[0]), cancel);
    const row = { element, state, time, job };
    this.rows.set(job.id, row);
    this.list.append(element);
    return row;
  }

  tick() {
    const now = Date.now();
    for (const { job, time } of this.rows.values()) time.textContent = duration(now - new Date(job.started_at ?? job.created_at));
  }

  async cancel(job, button) {
    await during(button, async () => {
      try {
        await ask("POST", at("jobs", job.id, "cancel"));
      } catch (fault) {
        toast(fault.message);
      }
    });
  }
}

customElements.define("tb-jobs", Jobs);
