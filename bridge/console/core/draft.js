// Text while it is being written, with its most common Markdown shown: made of nodes, never of markup. The server's
// rendering takes its place as soon as the text is final.

import { el } from "./dom.js";

const INLINE = /(`[^`\n]+`)|(\*\*[^*\n]+\*\*)|(\*[^*\s][^*\n]*\*)/g;

export function draft(text) {
  const made = document.createDocumentFragment();
  const parts = text.split(/^```.*$\n?/m);
  parts.forEach((part, index) => {
    if (index % 2) made.append(el("pre", {}, el("code", {}, part)));
    else made.append(...blocks(part));
  });
  return made;
}

function blocks(text) {
  return text.split(/\n{2,}/).filter((block) => block.trim()).map(block);
}

function block(text) {
  const heading = /^(#{1,4})\s+(.*)$/.exec(text.trim());
  if (heading) return el(`h${heading[1].length + 2}`, {}, ...inline(heading[2]));
  const lines = text.trim().split("\n");
  if (/^(-{3,}|\*{3,})$/.test(text.trim())) return el("hr");
  if (lines.every((line) => /^>/.test(line))) return el("blockquote", {}, block(text.trim().replace(/^> ?/gm, "")));
  if (lines.every((line) => /^\|/.test(line))) return table(lines);
  if (lines.every((line) => /^\s*[-*]\s+/.test(line))) return list("ul", lines, /^\s*[-*]\s+/);
  if (lines.every((line) => /^\s*\d+[.)]\s+/.test(line))) return list("ol", lines, /^\s*\d+[.)]\s+/);
  return el("p", {}, ...lines.flatMap((line, index) => (index ? [el("br"), ...inline(line)] : inline(line))));
}

function list(kind, lines, mark) {
  return el(kind, {}, ...lines.map((line) => el("li", {}, ...inline(line.replace(mark, "")))));
}

function table(lines) {
  const [head, ...rows] = lines.filter((line) => !/^\|[\s:|-]+$/.test(line)).map((line) => line.replace(/^\||\|\s*$/g, "").split("|"));
  const row = (kind) => (cells) => el("tr", {}, ...cells.map((cell) => el(kind, {}, ...inline(cell.trim()))));
  return el("table", {}, row("th")(head ?? []), ...rows.map(row("td")));
}

function inline(text) {
  return text.split(INLINE).filter(Boolean).map(styled);
}

function styled(piece) {
  if (/^`.+`$/.test(piece)) return el("code", {}, piece.slice(1, -1));
  if (/^\*\*.+\*\*$/.test(piece)) return el("strong", {}, piece.slice(2, -2));
  if (/^\*[^*].*\*$/.test(piece)) return el("em", {}, piece.slice(1, -1));
  return document.createTextNode(piece);
}
