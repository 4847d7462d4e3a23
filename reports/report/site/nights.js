// SPDX-License-Identifier: Apache-2.0
// The nights of fuzzing: how many findings each saw, and which.
"use strict";

const NIGHT_STATES = [["new", "var(--heat-wrong)"], ["seen before", "var(--heat-admissible)"], ["gone", "var(--heat-exact)"]];
const nightTime = (night) => night.start.replace("T", " ").replace("Z", "");

// One line for each night and state.
function nightCounts(night) {
  const fresh = night.new.length;
  return [["new", fresh], ["seen before", night.found.length - fresh], ["gone", night.gone.length]].map(([state, n]) => ({ night: nightTime(night), state, n }));
}

function nightsPlot(nights) {
  const rows = nights.flatMap(nightCounts);
  const every = Math.ceil(nights.length / 12);
  return Plot.plot({
    width: Math.max(420, Math.min(1180, nights.length * 60 + 80)),
    height: 260,
    marginBottom: 70,
    x: { label: null, domain: nights.map(nightTime), ticks: nights.map(nightTime).filter((_, i) => i % every === 0), tickRotate: -20 },
    y: { label: "findings", grid: true, tickFormat: "d", ticks: Math.min(6, Math.max(1, d3.max(nights, (night) => night.found.length + night.gone.length))) },
    color: { domain: NIGHT_STATES.map(([state]) => state), range: NIGHT_STATES.map(([, colour]) => colour) },
    marks: [
      Plot.barY(rows, { x: "night", y: "n", fill: "state", order: NIGHT_STATES.map(([state]) => state), title: (d) => `${d.night}: ${d.n} ${d.state}` }),
      Plot.ruleY([0], { stroke: "var(--muted)" }),
    ],
  });
}

function nightTable(nights) {
  const place = el("div.nights");
  const rows = nights.map((night) => ({ id: night.id, start: nightTime(night), early: night.early, fresh: night.new.length, found: night.found.length, gone: night.gone.length, executions: d3.sum(night.targets, ([, n]) => n), targets: night.targets.map(([name, , share]) => `${name} (${Math.floor(share * 100)} % compared)`).join(", ") }));
  queueMicrotask(() => table(place, rows.reverse(), [
    { title: "Night (UTC)", field: "start", width: 195, cell: (row) => el("span", {}, row.start, row.early ? el("b.warning", {}, " ended early") : "") },
    { title: "Targets", field: "targets", widthGrow: 4, minWidth: 220 },
    { title: "Executions", field: "executions", width: 120, hozAlign: "right", sorter: "number", cell: (row) => el("span", {}, count(row.executions)) },
    { title: "Findings", field: "found", width: 100, hozAlign: "right", sorter: "number" },
    { title: "New", field: "fresh", width: 80, hozAlign: "right", sorter: "number", cell: (row) => el(row.fresh ? "b.is-wrong" : "span", {}, count(row.fresh)) },
    { title: "Gone", field: "gone", width: 80, hozAlign: "right", sorter: "number" },
  ], { renderVertical: "basic", height: undefined }));
  return section("Nights", place);
}

// Every signature with the nights that saw it.
function findingTable(nights) {
  const rows = new Map();
  for (const night of nights)
    for (const [signature, first, targets] of night.found) {
      const row = rows.get(signature) ?? { signature, first, nights: 0 };
      rows.set(signature, { ...row, nights: row.nights + 1, last: nightTime(night), targets: (targets ?? []).join(", ") });
    }
  const place = el("div.findings");
  queueMicrotask(() => table(place, [...rows.values()].sort((a, b) => d3.descending(a.last, b.last) || b.nights - a.nights), [
    { title: "Finding", field: "signature", widthGrow: 5, minWidth: 260, cell: (row) => el("span.mono", {}, row.signature) },
    { title: "First seen (UTC)", field: "first", width: 195, cell: (row) => el("span", {}, (row.first ?? "").replace("T", " ").replace("Z", "")) },
    { title: "Last seen (UTC)", field: "last", width: 195 },
    { title: "Nights", field: "nights", width: 90, hozAlign: "right", sorter: "number" },
    { title: "Targets", field: "targets", widthGrow: 3, minWidth: 160 },
  ], { placeholder: "No night found anything." }));
  return section("Findings", el("p.muted", {}, "One line for each signature; qdiff findings show SIGNATURE prints it."), place);
}

async function nightsPage() {
  const { nights } = await qdiff.load("history", "history.js");
  const title = el("h1", {}, "Nights of fuzzing");
  if (!nights.length) return [title, el("p", {}, "This report has none. ", el("code", {}, "scripts/nightly"), " runs one, and ", el("code", {}, "qdiff report --nights DIR"), " shows the nights below DIR, which is fuzz/nights in the state directory.")];
  const legend = el("p.legend", {}, ...NIGHT_STATES.map(([state, colour]) => el("span", {}, el("i.swatch", { style: `background:${colour}` }), state)));
  return [title, el("p.muted", {}, "What the fuzzers found, by night. New: the store had not seen it. Gone: the night before saw it on one of these targets, and this one did not."), legend, el("div.scroll.heat.nightplot", {}, nightsPlot(nights)), nightTable(nights), findingTable(nights)];
}
