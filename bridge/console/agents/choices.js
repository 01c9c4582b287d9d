// What an agent may name: the models and tools of this instance.

import { ask } from "../core/api.js";
import { say } from "../core/speech.js";

// As {models: [{name, default, offline}], tools: [name]}.
export const choices = () => ask("GET", "/api/choices");

// The models for a list: the first entry is the default of this instance.
export async function models() {
  const { models: found } = await choices();
  const standard = found.find((model) => model.default);
  const first = standard ? say("default_model_named", { name: standard.name }) : say("default_model");
  return [["", first], ...found.map(({ name, offline }) => [name, offline ? say("offline_model", { name }) : name])];
}

export const toolNames = async () => (await choices()).tools;
