// The conversations of the sidebar: newest first, teams with a badge, unseen ones with a dot.

import { el } from "../core/dom.js";
import { directory } from "../core/directory.js";
import { face } from "../core/faces.js";
import { icon } from "../core/icons.js";
import { address } from "../core/router.js";
import { sessions } from "../core/sessions.js";
import { say, shortTime } from "../core/speech.js";
import { titleOfNews } from "../core/title.js";

const SEARCHABLE = 8;

class SessionList extends HTMLElement {
  connectedCallback() {
    this.search = el("input", { type: "search", placeholder: say("search_sessions"), "aria-label": say("search_sessions"), hidden: true, oninput: () => this.show() });
    this.list = el("ul", { class: "session-list" });
    this.put = el("ul", { class: "session-list" });
    this.archive = el("details", { class: "archive", ontoggle: () => this.archive.open && sessions.loadArchived() }, el("summary", {}, icon("right"), say("archived")), this.put);
    this.append(this.search, this.list, this.archive);
    this.changed = () => this.show();
    sessions.addEventListener("change", this.changed);
    directory.addEventListener("change", this.changed);
    this.show();
  }

  disconnectedCallback() {
    sessions.removeEventListener("change", this.changed);
    directory.removeEventListener("change", this.changed);
  }

  mark(id) {
    this.marked = id;
    this.show();
  }

  show() {
    this.search.hidden = sessions.items.length < SEARCHABLE;
    titleOfNews(sessions.items.filter((session) => sessions.isUnread(session)).length);
    const focused = this.contains(document.activeElement) ? document.activeElement.dataset.id : null;
    const words = this.search.value.trim().toLowerCase();
    const found = sessions.items.filter((session) => !words || described(session).toLowerCase().includes(words));
    this.list.replaceChildren(...found.map((session) => this.row(session)));
    if (!found.length && sessions.loaded) this.list.append(el("li", { class: "faint none" }, say(words ? "nothing_found" : "no_sessions")));
    this.put.replaceChildren(...sessions.archived.map((session) => this.row(session)));
    if (!sessions.archived.length) this.put.append(el("li", { class: "faint none" }, say("no_archived")));
    if (focused) this.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
  }

  row(session) {
    const agent = directory.agent(session.agent_id);
    const isTeam = session.kind === "room";
    const unread = sessions.isUnread(session);
    const waits = session.waiting_for === "approval";
    const working = session.phase !== "IDLE" && !waits;
    const made = el(
      "a",
      { href: address("s", session.id), class: unread ? "unread" : "", "aria-current": session.id === this.marked ? "page" : null },
      face(agent, "small"),
      el("span", { class: "title" }, titleOf(session)),
      el("time", { datetime: session.updated_at }, shortTime(new Date(session.updated_at))),
      el(
        "span",
        { class: "about" },
        waits && el("span", { class: "badge warn" }, say("waits")),
        isTeam && el("span", { class: "badge accent" }, say("team_badge")),
        el("span", { class: "with" }, about(session, agent)),
      ),
      unread ? el("span", { class: "dot", role: "img", "aria-label": say("unread") }) : working ? el("span", { class: "pulse", role: "img", "aria-label": say("working") }) : null,
    );
    made.dataset.id = session.id;
    return el("li", {}, made);
  }
}

// With whom, and over which channel; nothing is said twice.
function about(session, agent) {
  const name = session.title ? agent.name : agent.description || agent.name;
  return session.app_id === "console" ? name : `${name} · ${session.app_id}`;
}

export const titleOf = (session) => session.title || directory.agent(session.agent_id).name;

const described = (session) => `${session.title} ${directory.agent(session.agent_id).name} ${session.app_id}`;

customElements.define("tb-session-list", SessionList);
