// Files that are to go with the next message: a chip for each, brought to the server as soon as there is a conversation.

import { at } from "../core/api.js";
import { el } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { sizeOf } from "../core/sizes.js";
import { say } from "../core/speech.js";
import { upload } from "../core/upload.js";

const LARGEST = 25 * 1024 * 1024;
const MOST = 10;

export class Tray {
  // `changed` is called when there are more, fewer, or others ready; `refuse` is told why a file is not taken.
  constructor(changed, refuse) {
    Object.assign(this, { changed, refuse, items: [], session: null });
    this.element = el("ul", { class: "tray", "aria-label": say("files"), hidden: true });
  }

  get isEmpty() {
    return !this.items.length;
  }

  get isFaulty() {
    return this.items.some((item) => item.fault);
  }

  // From now on files go to this conversation.
  belongsTo(session) {
    this.session = session;
    for (const item of this.items) this.bring(item);
  }

  add(files) {
    this.refuse("");
    for (const file of files) {
      if (this.items.length >= MOST) return this.refuse(say("too_many_files", { count: MOST }));
      if (file.size > LARGEST) this.refuse(say("file_too_large", { name: file.name, size: sizeOf(LARGEST) }));
      else this.take(file);
    }
  }

  take(file) {
    const item = { file, ending: new AbortController(), bar: el("progress", { max: 1, value: 0, "aria-label": say("uploading", { name: file.name }) }), state: el("small", {}) };
    const remove = el("button", { class: "tool", type: "button", "aria-label": say("remove_file", { name: file.name }), title: say("remove_file", { name: file.name }), onclick: () => this.remove(item) }, icon("cross"));
    item.element = el("li", { class: "file-chip" }, icon("file"), el("span", { class: "file-words" }, el("span", { class: "file-name", title: file.name }, file.name), item.state), item.bar, remove);
    item.bar.hidden = true;
    item.state.textContent = sizeOf(file.size);
    this.items.push(item);
    this.element.append(item.element);
    this.bring(item);
    this.tell();
  }

  bring(item) {
    if (this.session === null || item.brought) return;
    item.bar.hidden = false;
    item.brought = upload(at("sessions", this.session.id, "files"), item.file, (done) => (item.bar.value = done), item.ending.signal).then(
      ({ file_id }) => {
        item.bar.hidden = true;
        return file_id;
      },
      (fault) => this.fail(item, fault),
    );
  }

  fail(item, fault) {
    item.fault = fault.message;
    item.bar.hidden = true;
    item.element.classList.add("wrong");
    item.state.textContent = fault.message;
    this.tell();
    return null;
  }

  // The ids of what was brought, in order, when all of it is there; null if something failed.
  async ready() {
    const ids = await Promise.all(this.items.map((item) => item.brought));
    return ids.includes(null) ? null : ids;
  }

  remove(item) {
    item.ending.abort();
    this.items = this.items.filter((each) => each !== item);
    item.element.remove();
    this.tell();
  }

  clear() {
    this.items = [];
    this.element.replaceChildren();
    this.tell();
  }

  tell() {
    this.element.hidden = this.isEmpty;
    this.changed();
  }
}
