// The language the console speaks now, and how it tells times.

import { LOCALES, WORDS } from "./words.js";

let locale = LOCALES[0];

export function setLocale(name) {
  locale = LOCALES.includes(name) ? name : LOCALES[0];
  document.documentElement.lang = locale;
}

export const currentLocale = () => locale;

export function say(key, fields = {}) {
  return WORDS[key][LOCALES.indexOf(locale)].replace(/{(\w+)}/g, (_, name) => fields[name]);
}

export function clockTime(at) {
  return new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hour12: false }).format(at);
}

export function dayName(at) {
  const days = daysAgo(at);
  if (days === 0) return say("today");
  if (days === 1) return say("yesterday");
  return new Intl.DateTimeFormat(locale, { year: "numeric", month: "long", day: "numeric" }).format(at);
}

// A moment in few letters: the time if it is today, else the day.
export function shortTime(at) {
  const days = daysAgo(at);
  if (days === 0) return clockTime(at);
  if (days === 1) return say("yesterday");
  return new Intl.DateTimeFormat(locale, { month: "numeric", day: "numeric" }).format(at);
}

export function fullTime(at) {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", hour12: false }).format(at);
}

// How long something takes, as on a stopwatch: 0:07, 12:40, 1:02:03.
export function duration(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  const two = (number) => String(number).padStart(2, "0");
  return minutes < 60 ? `${minutes}:${two(seconds % 60)}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

function daysAgo(at) {
  return Math.round((startOfDay(new Date()) - startOfDay(at)) / 86_400_000);
}

function startOfDay(at) {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
}
