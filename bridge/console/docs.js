// Shows the OpenAPI document: routes by subject, each with its parameters, body and answers.

import { el } from "./core/dom.js";

const main = document.getElementById("document");
const found = await (await fetch("/api/openapi.json")).json();

function resolve(schema) {
  return schema?.$ref ? found.components.schemas[schema.$ref.split("/").pop()] : schema;
}

// An example-like sketch of a schema: names and types, references followed a few levels deep.
function sketch(given, depth = 0) {
  const schema = resolve(given) ?? {};
  if (schema.anyOf) return schema.anyOf.map((each) => sketch(each, depth)).join(" | ");
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "array") return `[${sketch(schema.items, depth)}]`;
  if (schema.type === "object" && schema.properties && depth < 4) return object(schema, depth);
  return schema.format ?? schema.type ?? "any";
}

function object(schema, depth) {
  const required = new Set(schema.required ?? []);
  const pad = "  ".repeat(depth + 1);
  const lines = Object.entries(schema.properties).map(
    ([name, each]) => `${pad}${name}${required.has(name) ? "" : "?"}: ${sketch(each, depth + 1)}`,
  );
  return `{\n${lines.join("\n")}\n${"  ".repeat(depth)}}`;
}

function row(...cells) {
  return el("tr", {}, ...cells.map((cell) => el("td", {}, cell)));
}

function operation(method, path, given) {
  const parts = [];
  if (given.parameters.length) {
    const rows = given.parameters.map((each) => row(el("code", {}, each.name), `${each.in}, ${sketch(each.schema)}`));
    parts.push(el("h3", {}, "Parameters"), el("table", {}, ...rows));
  }
  const body = given.requestBody?.content["application/json"].schema;
  if (body) parts.push(el("h3", {}, "Body"), el("pre", {}, sketch(body)));
  for (const [status, answer] of Object.entries(given.responses)) {
    const schema = status < 400 && Object.values(answer.content ?? {})[0]?.schema;
    parts.push(el("h3", {}, `${status} ${answer.description}`));
    if (schema) parts.push(el("pre", {}, sketch(schema)));
  }
  const head = el("summary", {}, el("b", {}, method.toUpperCase()), el("code", {}, path), el("span", {}, given.summary));
  return el("details", {}, head, ...parts);
}

const subjects = new Map();
for (const [path, methods] of Object.entries(found.paths)) {
  for (const [method, given] of Object.entries(methods)) {
    const subject = path.startsWith("/v1") ? "v1 (camelCase)" : given.tags[0];
    if (!subjects.has(subject)) subjects.set(subject, []);
    subjects.get(subject).push(operation(method, path, given));
  }
}

main.append(
  el("h1", {}, `${found.info.title} API`),
  el("p", { class: "soft" }, `${found.info.description} `, el("a", { href: "/api/openapi.json" }, "openapi.json")),
  ...[...subjects].flatMap(([subject, operations]) => [el("h2", {}, subject), ...operations]),
);
