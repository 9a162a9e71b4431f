"use strict";
// A search over the index that was built with the pages; nothing leaves the browser.
const field = document.getElementById("search");
const found = document.getElementById("found");
const up = document.body.dataset.up;
const MOST_FOUND = 12;

function matches(text, words) {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

function results(words) {
  const list = [];
  for (const page of PAGES) {
    if (matches(page.title, words)) list.push([0, page.title, page.address]);
    for (const [anchor, heading] of page.headings) {
      if (matches(heading, words)) list.push([1, `${page.title}: ${heading}`, `${page.address}#${anchor}`]);
    }
    if (matches(page.words, words)) list.push([2, page.title, page.address]);
  }
  list.sort((a, b) => a[0] - b[0]);
  const seen = new Set();
  return list.filter(([, , address]) => !seen.has(address) && seen.add(address)).slice(0, MOST_FOUND);
}

field.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.replaceChildren();
  if (!words.length) return;
  for (const [, title, address] of results(words)) {
    const link = document.createElement("a");
    link.href = `${up}/${address}`;
    link.textContent = title;
    const item = document.createElement("li");
    item.append(link);
    found.append(item);
  }
  if (!found.children.length) {
    const item = document.createElement("li");
    item.textContent = "nothing found";
    found.append(item);
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  }
});
