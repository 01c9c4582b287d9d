// Files of a message: links that save them, and pictures small beside them.

import { at } from "../core/api.js";
import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { sizeOf } from "../core/sizes.js";
import { say } from "../core/speech.js";

// Kinds that a browser draws without running anything; the server tells no others as pictures.
const PICTURE = /\.(png|jpe?g|gif|webp)$/i;
const LOST = new Set(["failed", "gone"]);

// What came along with an event, and what its speaker sends; null if there is nothing.
export function attached(event) {
  const files = [...(event.data?.attachments ?? []), ...(event.data?.files ?? [])];
  return files.length ? el("ul", { class: "attached", "aria-label": say("files") }, files.map((file) => el("li", {}, entry(event.session_id, file)))) : null;
}

function entry(session, file) {
  if (!file.id || LOST.has(file.state)) return el("span", { class: "file-chip lost" }, icon("file"), words(file, file.id ? say("file_lost") : ""));
  const path = at("sessions", session, "files", file.id);
  const link = el("a", { class: "file-chip", href: path, download: file.name }, icon("file"), words(file, file.size ? sizeOf(file.size) : ""));
  if (PICTURE.test(file.name)) preview(link, path, file);
  return link;
}

function words(file, about) {
  return el("span", { class: "file-words" }, el("span", { class: "file-name" }, file.name), about && el("small", {}, about));
}

// A picture that is not there (any more) stays a link.
function preview(link, path, file) {
  const picture = el("img", { src: path, alt: file.name, loading: "lazy", onerror: () => (picture.remove(), link.classList.remove("with-picture")) });
  link.classList.add("with-picture");
  link.prepend(picture);
}
