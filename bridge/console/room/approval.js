// A tool call that waits for somebody: a card that says what it would do, with the three answers, and then what was decided.

import { ask, at } from "../core/api.js";
import { directory } from "../core/directory.js";
import { el } from "../core/dom.js";
import { face } from "../core/faces.js";
import { icon } from "../core/icons.js";
import { say } from "../core/speech.js";
import { during } from "../parts/fields.js";

const ANSWERS = [["once", "primary"], ["session", ""], ["deny", "danger"]];
const ALLOWED = new Set(["once", "session"]);

// The cards of one conversation. What was decided is told once, wherever it was decided.
export class Approvals {
  cards = new Map();
  states = new Map();

  constructor(sessionId) {
    this.sessionId = sessionId;
  }

  // The card of a call that is new here; null if its card stands already.
  add(approval) {
    if (approval.state !== "open") this.states.set(approval.id, approval.state);
    const known = this.cards.get(approval.id);
    if (known) this.settle(known, this.states.get(approval.id) ?? "open");
    return known ? null : this.begin(approval);
  }

  // The card of what waits, to be looked at; null if there is none yet.
  find(id) {
    return this.cards.get(id)?.element ?? null;
  }

  begin(approval) {
    const card = { approval, foot: el("div", { class: "approval-foot" }), below: el("p", { class: "fault", role: "alert" }) };
    const title = say("approval_wants", { name: approval.name, tool: toolName(approval.tool) });
    const speaker = directory.agent(approval.agent_id);
    card.element = el(
      "section",
      { class: "approval", role: "group", "aria-label": title },
      el("div", { class: "approval-head" }, face({ ...speaker, name: approval.name }, "small"), el("p", {}, title)),
      approval.arguments && el("pre", { tabindex: 0, "aria-label": say("approval_arguments") }, approval.arguments),
      card.below,
      card.foot,
    );
    this.cards.set(approval.id, card);
    this.settle(card, this.states.get(approval.id) ?? approval.state);
    return card.element;
  }

  settle(card, state) {
    card.element.classList.toggle("open", state === "open");
    card.foot.replaceChildren(...(state === "open" ? this.answers(card) : outcome(state)));
  }

  answers(card) {
    return ANSWERS.map(([decision, colour]) => {
      const button = el("button", { class: `button small ${colour}`, type: "button", onclick: () => during(button, () => this.decide(card, decision)) }, say(`approve_${decision}`));
      return button;
    });
  }

  // Whoever comes second is shown what was decided before.
  async decide(card, decision) {
    card.below.textContent = "";
    try {
      this.add(await ask("POST", at("sessions", this.sessionId, "approvals", card.approval.id), { decision }));
    } catch (fault) {
      card.below.textContent = fault.message;
    }
  }
}

function outcome(state) {
  const isAllowed = ALLOWED.has(state);
  return [el("span", { class: `outcome ${isAllowed ? "good" : ""}`, role: "status" }, icon(isAllowed ? "check" : "cross"), say(`approval_${state}`))];
}

// A tool of a server has two names.
function toolName(tool) {
  const [server, ...rest] = tool.split("__");
  return rest.length ? say("tool_of_server", { server, tool: rest.join("__") }) : tool;
}
