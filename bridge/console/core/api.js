// The server's API: requests with the cookie, and what a refusal says.

import { currentLocale, say } from "./speech.js";

export class Refusal extends Error {
  constructor(status, code, message, details = {}) {
    super(message);
    Object.assign(this, { status, code, details });
  }
}

export async function ask(method, path, body, headers = {}) {
  const options = { method, headers: { "Accept-Language": currentLocale(), ...headers } };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Refusal(0, "UNREACHABLE", say("unreachable"));
  }
  if (!response.ok) throw await refusal(response);
  return response.status === 204 ? null : response.json();
}

async function refusal(response) {
  try {
    const { error } = await response.json();
    return new Refusal(response.status, error.code, error.message, error.details);
  } catch {
    return new Refusal(response.status, "", say("odd_answer", { status: response.status }));
  }
}

// A key that makes a repeated request the same request; works without a secure context too.
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Every item of a list, page after page; at most `most` of them.
export async function all(path, query = {}, most = 1000) {
  const items = [];
  let cursor = "";
  do {
    const page = await ask("GET", `${path}?${new URLSearchParams({ ...query, ...(cursor && { cursor }) })}`);
    items.push(...page.items);
    cursor = page.next;
  } while (cursor && items.length < most);
  return items;
}

// The address of one thing: every part is encoded.
export function at(...parts) {
  return `/api/${parts.map(encodeURIComponent).join("/")}`;
}
