// What waits for somebody: people at the door, and messages that could not be delivered.

import { ask } from "../core/api.js";

const PAUSE = 30_000;
const LISTS = { people: "/api/people?state=pending&limit=100", deliveries: "/api/deliveries?state=dead&limit=100" };

// Tells `(page, count)` now, every half minute while somebody looks, and after "tb-office". Answers with the way to end it.
export function watchOffice(tell) {
  const look = () => {
    if (document.hidden) return;
    for (const [page, path] of Object.entries(LISTS)) {
      ask("GET", path).then(({ items }) => tell(page, items.length), () => {});
    }
  };
  const timer = setInterval(look, PAUSE);
  document.addEventListener("tb-office", look);
  look();
  return () => {
    clearInterval(timer);
    document.removeEventListener("tb-office", look);
  };
}
