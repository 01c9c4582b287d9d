// Bringing a file to the server, with word of how far it is.

import { Refusal } from "./api.js";
import { currentLocale, say } from "./speech.js";

// Resolves to the server's {file_id, name, size}. `progress` is told a number from 0 to 1, `signal` may break it off.
export function upload(path, file, progress, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `${path}?${new URLSearchParams({ name: file.name })}`);
    request.setRequestHeader("Accept-Language", currentLocale());
    // What is in the file is never read as a form.
    request.setRequestHeader("Content-Type", file.type.startsWith("image/") ? file.type : "application/octet-stream");
    request.responseType = "json";
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onload = () => (request.status < 300 ? resolve(request.response) : reject(refusal(request)));
    request.onerror = () => reject(new Refusal(0, "UNREACHABLE", say("unreachable")));
    request.onabort = () => reject(new Refusal(0, "ABORTED", ""));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

function refusal({ status, response }) {
  const { code = "", message = say("odd_answer", { status }), details } = response?.error ?? {};
  return new Refusal(status, code, message, details);
}
