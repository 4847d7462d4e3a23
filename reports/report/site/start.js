// SPDX-License-Identifier: Apache-2.0
// Chooses the page by the address, and the search, the theme and the keys.
"use strict";

const PAGES = [["", "Overview", overviewPage], ["causes", "Causes", causesPage], ["releases", "Releases", releasesPage], ["coverage", "Coverage", coveragePage], ["quirks", "Quirks", quirksPage], ["nights", "Nights", nightsPage]];
const main = document.getElementById("main");

async function show() {
  const [path, query = ""] = location.hash.replace(/^#\//, "").split("?");
  const [name, argument] = path.split("/");
  const page = { cause: causePage, case: casePage }[name] ?? PAGES.find(([key]) => key === name)?.[2] ?? missing;
  const current = { cause: "causes", case: "causes" }[name] ?? name;
  for (const link of document.querySelectorAll("nav a")) link.toggleAttribute("aria-current", link.dataset.page === current);
  let content;
  try {
    content = await page(argument, new URLSearchParams(query));
  } catch (error) {
    content = [el("h1", {}, "This page cannot be shown"), el("p.warning", {}, error.message)];
  }
  main.replaceChildren(...content.filter(Boolean));
  for (const tip of document.querySelectorAll("body > .tabulator-popup-container")) tip.remove();
  main.dataset.ready = location.hash;
  scrollTo(0, 0);
}

document.querySelector("nav").append(...PAGES.map(([key, title]) => el("a", { href: `#/${key}`, "data-page": key }, title)));

// --- Search -------------------------------------------------------------------------------------------

const box = document.querySelector("#search input"), found = document.getElementById("found");
const MOST_FOUND = 12;

function find(text) {
  const parts = text.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (value) => parts.every((part) => value.toLowerCase().includes(part));
  const causes = front.causes.map((cause, i) => [causeLink(i), "cause", shortIssue(cause.name)]);
  const cases = front.cases.map(([id], i) => [caseLink(i), "case", id]);
  return parts.length ? [...causes, ...cases].filter(([, , name]) => holds(name)) : [];
}

function offer() {
  const all = find(box.value);
  const lines = all.slice(0, MOST_FOUND).map(([href, kind, name]) => el("a", { href }, el("small", {}, kind), " ", name));
  if (all.length > MOST_FOUND) lines.push(el("p.muted", {}, `and ${count(all.length - MOST_FOUND)} more`));
  found.replaceChildren(...(box.value && !all.length ? [el("p.muted", {}, "Nothing that fails has these words.")] : lines));
  found.hidden = !box.value;
}

box.addEventListener("input", offer);
document.getElementById("search").addEventListener("submit", (event) => {
  event.preventDefault();
  found.querySelector("a")?.click();
});
addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
  if (event.key === "/" && !typing) {
    event.preventDefault();
    box.focus();
  } else if (event.key === "Escape") {
    found.hidden = true;
    document.activeElement.blur();
  } else if (["ArrowDown", "ArrowUp"].includes(event.key) && !found.hidden) {
    const lines = [...found.querySelectorAll("a")], at = lines.indexOf(document.activeElement);
    lines[(at + (event.key === "ArrowDown" ? 1 : lines.length - 1 + (at < 0))) % lines.length]?.focus();
    event.preventDefault();
  }
});
addEventListener("hashchange", () => {
  found.hidden = true;
  show();
});

// --- Theme --------------------------------------------------------------------------------------------

const themeButton = document.getElementById("theme");
function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  themeButton.textContent = dark ? "Light" : "Dark";
}
themeButton.addEventListener("click", () => setTheme(document.documentElement.dataset.theme !== "dark"));
setTheme(matchMedia("(prefers-color-scheme: dark)").matches);

show();
