// How a channel stands, as a badge.

import { el } from "../core/dom.js";
import { say } from "../core/speech.js";

const COLOURS = { connected: "good", connecting: "warn", error: "wrong" };

export function channelBadge(channel) {
  return el("span", { class: `badge lamp ${COLOURS[channel.state] ?? ""}` }, say(`channel_${channel.state}`));
}
