// The agents this person may use and the models of this instance, kept for all pages. Tells "change" when it was read anew.

import { all, ask } from "./api.js";
import { introduce } from "./faces.js";
import { say } from "./speech.js";

class Directory extends EventTarget {
  agents = [];
  teams = [];
  models = [];

  async load() {
    const [agents, teams, { models }] = await Promise.all([all("/api/agents"), all("/api/teams"), ask("GET", "/api/choices")]);
    Object.assign(this, { agents, teams, models });
    introduce(agents);
    this.dispatchEvent(new Event("change"));
  }

  get experts() {
    return this.agents.filter((agent) => agent.kind !== "team");
  }

  // An agent as the room shows it; one that is gone keeps its id.
  agent(id) {
    return this.agents.find((agent) => agent.id === id) ?? { id, name: id, kind: "expert", icon: "", color: "", welcome: "", gone: true };
  }

  // The model that an agent answers with where a conversation has none of its own.
  modelOf(agent) {
    return agent.model || (this.models.find((model) => model.default)?.name ?? say("default_model"));
  }

  // The members of a team in roster order; null for an expert.
  members(id) {
    return this.teams.find((team) => team.team_id === id)?.members ?? null;
  }
}

export const directory = new Directory();

// Those one may begin a conversation with.
export const canTalk = (agent) => agent.state === "running" && agent.client_visible;
