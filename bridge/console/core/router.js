// Where one is: the address behind the #. `#/s/<session>`, `#/new/<agent>`, `#/<page>` and `#/<page>/<id>`.

export function place() {
  const [name = "", ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(readable);
  return { name, id: rest[0] ?? null, rest: rest[1] ?? null };
}

export function address(...parts) {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

export function go(...parts) {
  location.hash = address(...parts);
}

// Another address for the same page: nobody is told.
export function rename(...parts) {
  history.replaceState(null, "", address(...parts));
}

function readable(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
