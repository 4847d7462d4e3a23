// SPDX-License-Identifier: Apache-2.0
// The quirks: what each computes, how often it is seen here, and which families of cases notice it.
"use strict";

// What this report's causes have of each quirk.
function quirksSeen() {
  const seen = new Map();
  front.causes.forEach((cause, number) => cause.basis === "diagnosis" && cause.name.split(/[|+]/).forEach((name) => seen.set(name, { results: (seen.get(name)?.results ?? 0) + cause.results, number })));
  return seen;
}

// Quirks by families of cases: how many cases of the family notice the quirk, on a scale of powers of ten.
function killMatrix(kills) {
  const cells = kills.flatMap(([quirk, , , , families]) => families.map(([family, n]) => ({ quirk, family, n })));
  const names = d3.groupSort(cells, (all) => -d3.sum(all, (d) => d.n), (d) => d.family);
  return Plot.plot({
    width: names.length * 24 + 320,
    height: kills.length * 17 + 190,
    marginLeft: 300,
    marginTop: 170,
    marginRight: 20,
    marginBottom: 10,
    padding: 0.08,
    x: { axis: "top", label: null, domain: names, tickRotate: -60 },
    y: { label: null, domain: kills.map(([quirk]) => quirk) },
    color: { type: "log", domain: [1, Math.max(10, d3.max(cells, (d) => d.n) ?? 1)], interpolate: (t) => `color-mix(in oklab, var(--kill-many) ${Math.round(100 * t)}%, var(--kill-few))` },
    marks: [
      Plot.cell(cells, { x: "family", y: "quirk", fill: "n" }),
      Plot.tip(cells, Plot.pointer({ x: "family", y: "quirk", title: (d) => `${d.quirk}\nnoticed by ${plural(d.n, "case")} of ${d.family}`, fill: "var(--panel)", stroke: "var(--line)" })),
    ],
  });
}

function killSection(kills) {
  if (!kills.length) return section("Kill matrix", el("p", {}, "This report has none. ", el("code", {}, "qdiff self-test --json --output kills.jsonl"), " writes it, and ", el("code", {}, "qdiff report --kills kills.jsonl"), " shows it."));
  const holes = kills.filter(([, n]) => n < 3);
  const weakest = d3.least(kills, ([, n]) => n);
  const lead = `${plural(kills.length, "quirk")}, each put in place of the reference, on ${plural(kills[0][2], "case")}. ${holes.length ? `Fewer than three cases notice ${holes.map(([name]) => name).join(", ")}: holes of the suite.` : `At least ${count(weakest[1])} cases notice each (${weakest[0]}).`} An empty place: no case of the family notices the quirk.`;
  const scale = el("p.legend", {}, el("span", {}, el("i.swatch", { style: "background:var(--kill-few)" }), "1 case"), el("span", {}, el("i.swatch", { style: "background:var(--kill-many)" }), `${count(d3.max(kills, ([, , , , families]) => d3.max(families, ([, n]) => n)) ?? 1)} cases`));
  return section("Kill matrix", el(holes.length ? "p.warning" : "p.muted", {}, lead), scale, el("div.scroll.heat.kills", {}, killMatrix(kills)));
}

async function quirksPage() {
  const { kills } = await qdiff.load("history", "history.js");
  const noticed = new Map(kills.map(([name, n, , first]) => [name, { n, first }]));
  const seen = quirksSeen();
  const rows = front.quirks.map(([name, family, ops, effect, where, witness]) => ({ name, family, ops, effect, where, witness, results: seen.get(name)?.results ?? 0, number: seen.get(name)?.number, kills: noticed.get(name)?.n, first: noticed.get(name)?.first }));
  const place = el("div.quirks");
  const text = el("input", { type: "search", placeholder: "words", "aria-label": "Words" });
  queueMicrotask(() => {
    const list = table(place, rows.sort((a, b) => b.results - a.results), [
      { title: "Quirk", field: "name", widthGrow: 2, minWidth: 220, cell: (row) => (row.number === undefined ? el("span.mono", {}, row.name) : el("a.mono", { href: causeLink(row.number) }, row.name)) },
      { title: "Here", field: "results", width: 84, hozAlign: "right", sorter: "number", cell: (row) => el("span", {}, row.results ? count(row.results) : "") },
      ...(kills.length ? [{ title: "Cases that notice it", field: "kills", width: 110, hozAlign: "right", sorter: "number", cell: (row) => el("span", { title: row.first ? `the first is ${row.first}` : "" }, row.kills === undefined ? "" : count(row.kills)) }] : []),
      { title: "Family", field: "family", width: 120 },
      { title: "What is computed", field: "effect", widthGrow: 5, minWidth: 300 },
      { title: "Seen", field: "where", widthGrow: 2, minWidth: 160, cell: (row) => issues(row.where, 3) },
    ], { renderVertical: "basic", height: undefined });
    text.addEventListener("input", () => list.setFilter((row) => `${row.name} ${row.family} ${row.ops} ${row.effect} ${row.where}`.toLowerCase().includes(text.value.toLowerCase())));
  });
  return [el("h1", {}, "Quirks"), el("p.muted", {}, "Wrong semantics that qdiff knows by name; each is also a mutant that the suite has to notice (qdiff self-test). \u201cf for g\u201d: f is computed where g should be; rne rounds to the nearest even integer, fl32 to float32."), el("div.bar", {}, text, kills.length ? el("button.link", { type: "button", click: () => document.querySelector(".kills").scrollIntoView({ behavior: "smooth" }) }, "Kill matrix \u2193") : ""), place, killSection(kills)];
}
