// The title of the tab: where one is, and how many conversations have something new.

let where = "";
let news = 0;

export function titleOfPage(words) {
  where = words;
  show();
}

export function titleOfNews(count) {
  news = count;
  show();
}

function show() {
  document.title = `${news ? `(${news}) ` : ""}${where ? `${where} · ` : ""}teambridge`;
}
