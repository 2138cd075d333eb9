// search and keyboard of the block reference: every word must occur in the text of a block
const search = document.getElementById("search"), count = document.getElementById("count");
const nothing = document.getElementById("nothing");
const articles = [...document.querySelectorAll("article")].map(element => ({
  element,
  text: element.textContent.toLowerCase(),
  name: element.getAttribute("aria-label").toLowerCase(),
  link: document.querySelector(`nav a[href="#${CSS.escape(element.id)}"]`).parentElement,
}));
const groups = [...document.querySelectorAll("main section, nav > ul > li")];

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(word => word);
  let found = 0;
  for (const { element, text, link } of articles) {
    const matches = words.every(word => text.includes(word));
    element.hidden = link.hidden = !matches;
    found += matches;
  }
  for (const group of groups) group.hidden = !group.querySelector("article:not([hidden]), ul > li:not([hidden])");
  nothing.hidden = found > 0;
  count.textContent = `${found} of ${articles.length}`;
}

// the block whose name is the search text comes before blocks that only mention it
function best() {
  const word = search.value.trim().toLowerCase();
  const shown = articles.filter(article => !article.element.hidden);
  return shown.find(a => a.name === word) ?? shown.find(a => word && a.name.includes(word)) ?? shown[0];
}

function go(element) {
  element.focus({ preventScroll: true });
  element.scrollIntoView();
}

function step(by) {
  const shown = articles.filter(article => !article.element.hidden).map(article => article.element);
  const at = shown.indexOf(document.activeElement?.closest("article"));
  const next = at < 0 ? 0 : at + by;
  if (next < 0) search.focus();
  else if (next < shown.length) go(shown[next]);
}

search.addEventListener("input", filter);
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const typing = document.activeElement === search;
  if (event.key === "/" && !typing) {
    search.focus();
    search.select();
  } else if (event.key === "Escape") {
    search.value = "";
    filter();
    search.focus();
  } else if (typing && (event.key === "Enter" || event.key === "ArrowDown")) {
    const article = best();
    if (article) go(article.element);
  } else if (!typing && document.activeElement?.matches("article") && event.key === "ArrowDown") step(1);
  else if (!typing && document.activeElement?.matches("article") && event.key === "ArrowUp") step(-1);
  else return;
  event.preventDefault();
});
filter();
