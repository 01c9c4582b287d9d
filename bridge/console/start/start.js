// The first steps: a model, a team, a channel, and then a conversation that works.

import { all } from "../core/api.js";
import { directory } from "../core/directory.js";
import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { address } from "../core/router.js";
import { say } from "../core/speech.js";
import { copyBox } from "../parts/copy.js";
import { heading, Page } from "../parts/page.js";
import { choices } from "../agents/choices.js";

const EXAMPLE = `[models.main]
provider = "openai"
model = "deepseek-chat"
base_url = "https://api.example.com/v1"
api_key = "\${MODEL_API_KEY}"`;

class Start extends Page {
  head() {
    return heading(say("start_title"), say("start_text"));
  }

  async load() {
    const [{ models }, channels] = await Promise.all([choices(), all("/api/channels"), directory.load()]);
    return { models, channels };
  }

  content({ models, channels }) {
    const real = models.filter((model) => !model.offline);
    const team = directory.agents.find((agent) => agent.kind === "team" && agent.state === "running");
    const partner = team ?? directory.experts.find((expert) => expert.state === "running");
    return [
      el("ol", { class: "steps group" }, this.modelStep(models, real), this.teamStep(team), this.channelStep(channels), this.talkStep(partner)),
    ];
  }

  modelStep(models, real) {
    const words = real.length ? say("step_model_done", { names: real.map((model) => model.name).join("、") }) : say(models.length ? "step_model_demo" : "step_model_none");
    return step(real.length > 0, say("step_model"), words, real.length ? null : copyBox(EXAMPLE, "config.toml"));
  }

  teamStep(team) {
    const add = el("a", { class: team ? "button" : "button primary", href: address("teams", "+") }, icon("plus"), say("new_team"));
    const market = el("a", { class: "button", href: address("market") }, say("tab_market"));
    return step(Boolean(team), say("step_team"), team ? say("step_team_done", { name: team.name }) : say("step_team_none"), el("div", { class: "doing" }, add, market));
  }

  channelStep(channels) {
    const words = channels.length ? say("step_channel_done", { names: channels.map((channel) => channel.id).join("、") }) : say("step_channel_none");
    return step(channels.length > 0, say("step_channel"), words, el("div", { class: "doing" }, el("a", { class: "button", href: address("channels") }, icon("plug"), say("add_channel"))));
  }

  talkStep(partner) {
    const go = partner && el("div", { class: "doing" }, el("a", { class: "button primary", href: address("new", partner.id) }, icon("chat"), say("talk_to", { name: partner.name })));
    return step(false, say("step_talk"), say(partner ? "step_talk_text" : "step_talk_wait"), go);
  }
}

const step = (done, title, words, ...more) => el("li", { class: done ? "done" : "" }, el("h3", {}, title, done && el("span", { class: "unseen" }, say("done"))), el("p", { class: "soft" }, words), more);

customElements.define("tb-start", Start);
