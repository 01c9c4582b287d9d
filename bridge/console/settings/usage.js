// What the models were asked for: by scene and model, over some days.

import { ask } from "../core/api.js";
import { el } from "../core/dom.js";
import { currentLocale, say } from "../core/speech.js";
import { segments } from "../parts/fields.js";
import { Section } from "../parts/section.js";

const PERIODS = ["7", "30", "90"];

class Usage extends Section {
  days = "30";
  title = () => say("usage");
  intro = () => say("usage_intro");
  load = () => ask("GET", `/api/usage?days=${this.days}`);

  content({ items }) {
    const periods = segments("days", say("usage_period"), PERIODS.map((days) => [days, say("usage_days", { days })]), this.days, (days) => this.choose(days));
    periods.classList.add("states");
    return [periods, items.length ? table(items) : el("p", { class: "faint" }, say("no_usage"))];
  }

  async choose(days) {
    this.days = days;
    await this.show(true);
    this.body.querySelector("input:checked")?.focus();
  }
}

function table(items) {
  const head = ["usage_scene", "usage_answers", "usage_in", "usage_out"];
  const rows = [...items.map((each) => row(each.label, each.model, each)), items.length > 1 && row(say("usage_all"), "", sum(items), "sum")];
  return el(
    "div",
    { class: "usage", role: "region", "aria-label": say("usage") },
    el("table", {}, el("thead", {}, el("tr", {}, head.map((key) => el("th", { scope: "col" }, say(key))))), el("tbody", {}, rows)),
  );
}

function row(scene, model, { answers, input_tokens, output_tokens }, kind = "") {
  const number = new Intl.NumberFormat(currentLocale());
  const cells = [answers, input_tokens, output_tokens].map((each) => el("td", { class: "number" }, number.format(each)));
  return el("tr", { class: kind }, el("th", { scope: "row" }, scene, model && el("small", {}, model)), cells);
}

function sum(items) {
  const total = (key) => items.reduce((before, each) => before + each[key], 0);
  return { answers: total("answers"), input_tokens: total("input_tokens"), output_tokens: total("output_tokens") };
}

customElements.define("tb-usage", Usage);
