// Faces: an emoji or initials on a colour that stays with its speaker.

import { el } from "./dom.js";
import { EMOJI } from "./emoji.js";

const HUES = [278, 30, 155, 235, 345, 85, 195, 310, 120, 60];
const known = new Map();

export function face(speaker, size = "") {
  const made = el("span", { class: `face ${size}`, "aria-hidden": "true" }, symbol(speaker));
  paint(made, speaker);
  return made;
}

// Gives an element its speaker's colour, for the style sheet to use.
export function paint(element, speaker) {
  element.style.setProperty("--hue", hueOf(speaker));
}

function symbol(speaker) {
  const named = /^:([\w+-]+):$/.exec(speaker.icon ?? "");
  if (named && EMOJI[named[1]]) return EMOJI[named[1]];
  if (/^\p{Extended_Pictographic}/u.test(speaker.icon ?? "")) return speaker.icon;
  return initials(speaker.name || speaker.id);
}

function initials(name) {
  const words = name.trim().split(/[\s_-]+/).filter(Boolean);
  if (/^[\p{Script=Latin}]/u.test(name) && words.length > 1) return (words[0][0] + words[1][0]).toUpperCase();
  return [...name.trim()].slice(0, 1).join("").toUpperCase();
}

// What a chosen colour is here: only its hue counts, so that every face is readable in light and in dark.
export const SWATCHES = { "#c2410c": 45, "#a16207": 85, "#4d7c0f": 125, "#0f766e": 185, "#0369a1": 240, "#4338ca": 275, "#7e22ce": 310, "#be185d": 0 };

// Colours come from the agents' own choice, else from their ids; where two would be the same, the next free one.
export function introduce(agents) {
  known.clear();
  for (const agent of agents) if (chosen(agent) !== null) known.set(agent.id, chosen(agent));
  for (const agent of agents) {
    if (known.has(agent.id)) continue;
    let at = placeOf(agent.id);
    for (let tried = 0; tried < HUES.length && [...known.values()].includes(HUES[at]); tried++) at = (at + 1) % HUES.length;
    known.set(agent.id, HUES[at]);
  }
}

export const hueOf = (speaker) => chosen(speaker) ?? known.get(speaker.id) ?? HUES[placeOf(speaker.id)];

function chosen(speaker) {
  const color = (speaker.color ?? "").toLowerCase();
  return SWATCHES[color] ?? (/^#[0-9a-f]{6}$/.test(color) ? hueOfHex(color) : null);
}

function hueOfHex(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255);
  const most = Math.max(red, green, blue);
  const span = most - Math.min(red, green, blue);
  if (span === 0) return null;
  const sixth = most === red ? ((green - blue) / span) % 6 : most === green ? (blue - red) / span + 2 : (red - green) / span + 4;
  // The hue circle of oklch begins some 29 degrees later than that of RGB.
  return Math.round(sixth * 60 + 29 + 360) % 360;
}

function placeOf(id) {
  let sum = 2166136261;
  for (const character of id) sum = Math.imul(sum ^ character.codePointAt(0), 16777619) >>> 0;
  return (sum >>> 7) % HUES.length;
}
