// SPDX-License-Identifier: Apache-2.0
// Releases, coverage.
"use strict";

// --- Releases ----------------------------------------------------------------------------------------

const byVersion = (a, b) => a.localeCompare(b, "en", { numeric: true });

// Targets with several versions, and those in order.
function families() {
  const names = new Map();
  for (const { name, version } of front.columns) if (version) names.set(name, new Set([...(names.get(name) ?? []), version]));
  return [...names].map(([name, versions]) => [name, [...versions].sort(byVersion)]).filter(([, versions]) => versions.length > 1);
}

// A cause in each version: bad where a case fails so, other where one fails by another cause, good where all that ran pass.
function history(cause, name, versions) {
  return versions.map((version) => {
    const sum = { version, bad: 0, good: 0, other: 0 };
    for (const [i, bad, good, other] of cause.columns)
      if (front.columns[i].name === name && front.columns[i].version === version) {
        sum.bad += bad;
        sum.good += good;
        sum.other += other;
      }
    return { ...sum, state: sum.bad ? "bad" : sum.other ? "other" : sum.good ? "good" : "none" };
  });
}

const TONES = { bad: "bad1", other: "known", good: "good", none: "none" };
const said = (sum) => ({ bad: `${count(sum.bad)} fail`, other: `${count(sum.other)} fail otherwise`, good: "good", none: "not run" })[sum.state];

function releaseTable([name, versions]) {
  const rows = front.causes.flatMap((cause, number) => {
    if (cause.target !== name) return [];
    const past = history(cause, name, versions);
    const last = past.findLastIndex((sum) => sum.bad);
    return [{ number, name: cause.name, kind: cause.kind, past, results: cause.results, first: past.find((sum) => sum.bad)?.version ?? "", fixed: past.slice(last + 1).find((sum) => sum.state === "good")?.version ?? "" }];
  });
  const version = (text, i) => ({ title: text, field: `past.${i}.bad`, width: 120, hozAlign: "center", sorter: "number", cell: (row) => {
    const sum = row.past[i];
    return el(`span.cell.is-${TONES[sum.state]}`, { title: `${count(sum.bad)} fail so, ${count(sum.other)} fail by another cause, ${count(sum.good)} pass` }, said(sum));
  } });
  const place = el("div.releases");
  queueMicrotask(() => table(place, rows, [
    { title: "Cause", field: "name", widthGrow: 4, minWidth: 260, cell: (row) => el("a", { href: causeLink(row.number) }, causeName(front.causes[row.number])) },
    ...versions.map(version),
    { title: "First bad", field: "first", width: 110 },
    { title: "First good after", field: "fixed", width: 150, cell: (row) => el("span", {}, row.fixed || "none") },
  ], { renderVertical: "basic", height: undefined }));
  return section(name, place);
}

function releasesPage() {
  const several = families();
  const none = el("p", {}, "This report has one release of each target. Give qdiff report the results files of several releases, and this page says in which one each cause began and ended.");
  return [el("h1", {}, "Releases"), several.length ? el("p.muted", {}, "In which release each cause is seen. A release is good where all cases of the cause that ran pass. Where they fail by another cause, it may be the same bug under an expectation row: run all releases with --no-expectations to compare them.") : none, ...several.map(releaseTable)];
}

// --- Coverage ----------------------------------------------------------------------------------------

// "10-22: QuantizeLinear/x-type; 23: 6; 24-26: hole" as chips.
function opsets(text) {
  return el("span.opsets", {}, ...text.split(/; (?=\d+(?:-\d+)?: )/).map((part) => {
    const [, range, what] = /^(\S+): (.*)$/s.exec(part) ?? ["", "", part];
    const state = what === "hole" ? "hole" : /^\d+$/.test(what) ? "covered" : "refused";
    return el(`span.chip.is-${state}`, { title: state === "covered" ? `${what} cases` : what }, `${range}: ${state === "refused" ? "refused" : what}`);
  }));
}

// How many opsets of a line have cases, and how many are holes.
function countOpsets(text) {
  const sum = { covered: 0, holes: 0 };
  for (const [, first, last, what] of text.matchAll(/(?:^|; )(\d+)(?:-(\d+))?: (\d+|hole)(?=;|$)/g)) sum[what === "hole" ? "holes" : "covered"] += Number(last ?? first) - Number(first) + 1;
  return sum;
}

function coverageRow(entry) {
  const sums = entry.types.map(([, text]) => countOpsets(text));
  return { ...entry, name: `${entry.domain ? `${entry.domain}:` : ""}${entry.op}`, covered: entry.rules - entry.uncovered.length, combinations: entry.types.length, opsets: d3.sum(sums, (s) => s.covered), holes: d3.sum(sums, (s) => s.holes) };
}

function typesOf(entry) {
  const rows = entry.types.map(([types, text]) => el("tr", {}, el("td.mono", {}, types), el("td", {}, opsets(text))));
  return section(entry.name, entry.uncovered.length ? el("p.warning", {}, `Rules without a must-reject case: ${entry.uncovered.join(", ")}`) : "", el("div.scroll", {}, el("table.plain", {}, el("thead", {}, el("tr", {}, el("th", {}, "Types of inputs and outputs"), el("th", {}, "Opsets: cases, or why there are none"))), el("tbody", {}, ...rows))));
}

async function coveragePage() {
  const rows = (await qdiff.load("coverage", "coverage.js")).map(coverageRow);
  const place = el("div.coverage"), detail = el("div", { "aria-live": "polite" });
  const open = (row) => { detail.replaceChildren(typesOf(row)); detail.scrollIntoView({ behavior: "smooth" }); };
  queueMicrotask(() => table(place, rows, [
    { title: "Operator", field: "name", widthGrow: 3, minWidth: 220, cell: (row) => el("button.link", { type: "button", click: () => open(row) }, row.name) },
    { title: "Rules with a case", field: "covered", hozAlign: "right", sorter: "number", minWidth: 150, cell: (row) => el(row.covered < row.rules ? "b.warning" : "span", {}, `${row.covered} of ${row.rules}`) },
    { title: "Combinations of types", field: "combinations", hozAlign: "right", sorter: "number", minWidth: 180 },
    { title: "With cases, by opset", field: "opsets", hozAlign: "right", sorter: "number", minWidth: 170 },
    { title: "Without: holes", field: "holes", hozAlign: "right", sorter: "number", minWidth: 150 },
  ], { renderVertical: "basic", height: undefined }));
  return [el("h1", {}, "Coverage of the suite"), el("p.muted", {}, "Which rules the must-reject cases break and which types the valid cases have, at the level that was run. A combination of types and an opset is a hole where the reference takes it and no case has it. Follow an operator to its types."), place, detail];
}
