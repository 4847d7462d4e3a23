// SPDX-License-Identifier: Apache-2.0
// The heat map: every element of an output, coloured by what the target gave there. Colours are Okabe and Ito's, which a
// colour-blind person tells apart; each state also has a sign of its own.
"use strict";

const HEAT = [["exact", ""], ["admissible", "~"], ["wrong", "\u2715"], ["unspecified", "?"], ["not recorded", "\u2026"]];

// "17!-3 18~4;0!nan" (qdiff: reports/result/answers.h) as a map for each output, and where the record ends.
function parseAnswers(text) {
  const cut = text.endsWith(" ...");
  const parts = (cut ? text.slice(0, -4) : text).split(";").map((part) => {
    const given = new Map();
    for (const item of part.split(" ")) {
      const match = /^(\d+)([!~])(.*)$/.exec(item);
      if (match) given.set(Number(match[1]), { state: match[2] === "!" ? "wrong" : "admissible", have: match[3] });
    }
    return given;
  });
  return { parts, cut };
}

// The elements of an output with what the target gave.
function elementsOf(output, number, answers) {
  const given = answers.parts[number] ?? new Map();
  const last = number === answers.parts.length - 1 ? Math.max(-1, ...given.keys()) : Infinity;
  const open = new Set(output.unspecified), ties = new Set(output.ties);
  const slack = new Map(output.slack.map(([i, lo, hi]) => [i, `${lo} to ${hi}`]));
  const stateOfElement = (i) => (open.has(i) ? "unspecified" : given.has(i) ? given.get(i).state : answers.cut && (number >= answers.parts.length || i > last) ? "not recorded" : "exact");
  return output.want.map((want, i) => {
    const state = stateOfElement(i);
    const have = given.get(i)?.have ?? (state === "exact" ? want : "");
    return { i, want, have, state, tie: ties.has(i), admissible: slack.get(i) ?? want, ...placeOf(output.dims, i) };
  });
}

// Row, column and slice of a flat index. Of rank 3 and more: channels by positions, one slice for each first index.
function placeOf(dims, i) {
  if (dims.length <= 1) {
    const width = Math.min(dims[0] ?? 1, 32);
    return { slice: 0, row: Math.floor(i / width), column: i % width };
  }
  if (dims.length === 2) return { slice: 0, row: Math.floor(i / dims[1]), column: i % dims[1] };
  const positions = dims.slice(2).reduce((a, b) => a * b, 1);
  return { slice: Math.floor(i / (dims[1] * positions)), row: Math.floor(i / positions) % dims[1], column: i % positions };
}

function coordinates(dims, i) {
  const at = [];
  for (let axis = dims.length - 1; axis >= 0; axis--) {
    at.unshift(i % dims[axis]);
    i = Math.floor(i / dims[axis]);
  }
  return `[${at.join(", ")}]`;
}

const axisNames = (dims) => (dims.length <= 1 ? ["", "element"] : dims.length === 2 ? ["row", "column"] : ["channel", "position"]);

// So many labels on an axis of n elements of that size that they can be read.
const someTicks = (n, size, room) => d3.range(n).filter((i) => i % Math.ceil(room / size) === 0);

function heatPlot(output, elements) {
  const columns = 1 + d3.max(elements, (d) => d.column), rows = 1 + d3.max(elements, (d) => d.row);
  const size = Math.max(9, Math.min(56, Math.floor(1000 / columns)));
  const height = Math.min(size, 36);
  const [rowName, columnName_] = axisNames(output.dims);
  const place = { x: "column", y: "row" };
  const sign = (d) => HEAT.find(([state]) => state === d.state)[1];
  const said = (d) => `${output.name}${coordinates(output.dims, d.i)}: ${d.state}\nwant ${d.want}, have ${d.have || "(not recorded)"}\nadmissible ${d.admissible}${d.tie ? "\nthe exact number is half-way between two codes" : ""}`;
  const roomy = size >= 40;
  return Plot.plot({
    width: columns * size + 70,
    height: rows * height + 60,
    marginLeft: 50,
    marginTop: 40,
    marginBottom: 10,
    padding: 0.06,
    x: { axis: "top", label: columnName_, domain: d3.range(columns), ticks: someTicks(columns, size, 26) },
    y: { label: rowName, domain: d3.range(rows), ticks: someTicks(rows, height, 14) },
    color: { type: "categorical", domain: HEAT.map(([state]) => state), range: HEAT.map(([state]) => `var(--heat-${state.replace(" ", "-")})`) },
    marks: [
      Plot.cell(elements, { ...place, fill: "state", stroke: (d) => (d.state === "not recorded" ? "var(--line)" : "none"), inset: 0.5, rx: 2 }),
      Plot.dot(elements.filter((d) => d.tie && size >= 14), { ...place, r: Math.min(3, size / 8), dx: size / 2 - 8, dy: -height / 2 + 7, fill: "var(--text)" }),
      Plot.text(elements, { ...place, text: roomy ? (d) => (d.state === "wrong" || d.state === "admissible" ? d.have : d.want) : size >= 14 ? sign : () => "", fill: "var(--heat-text)", fontSize: roomy ? 12 : 10 }),
      Plot.tip(elements, Plot.pointer({ ...place, title: said, fill: "var(--panel)", stroke: "var(--line)" })),
    ],
  });
}

// Want beside have, for the elements that differ.
function differences(output, elements) {
  const rows = elements.filter((d) => d.state === "wrong" || d.state === "admissible").map((d) => ({ ...d, at: coordinates(output.dims, d.i), by: Number(d.have) - Number(d.want) }));
  const place = el("div.differences");
  queueMicrotask(() => table(place, rows, [
    { title: "Element", field: "i", sorter: "number", minWidth: 110, cell: (row) => el("span.mono", {}, row.at) },
    { title: "Want", field: "want", sorter: "number", hozAlign: "right", minWidth: 80 },
    { title: "Have", field: "have", sorter: "number", hozAlign: "right", minWidth: 80, cell: (row) => el(`b.is-${row.state}`, {}, row.have) },
    { title: "Have − want", field: "by", sorter: "number", hozAlign: "right", minWidth: 110, cell: (row) => el("span", {}, Number.isFinite(row.by) ? String(Number(row.by.toPrecision(6))) : "") },
    { title: "Admissible", field: "admissible", hozAlign: "right", minWidth: 100 },
    { title: "", field: "tie", minWidth: 110, cell: (row) => el("span.muted", {}, [row.state, row.tie ? "tie" : ""].filter(Boolean).join(", ")) },
  ], rows.length > 64 ? { height: "24rem", renderVertical: "virtual" } : {}));
  return el("details", { open: rows.length <= 64 }, el("summary", {}, `${plural(rows.length, "element differs", "elements differ")} from the canonical value`), place);
}

function heatLegend(elements) {
  const counts = d3.rollup(elements, (all) => all.length, (d) => d.state);
  const items = HEAT.filter(([state]) => counts.has(state)).map(([state]) => el("span", {}, el("i.swatch", { style: `background:var(--heat-${state.replace(" ", "-")})` }), `${state} ${count(counts.get(state))}`));
  const ties = elements.filter((d) => d.tie).length;
  return el("p.legend", {}, ...items, ties ? el("span", {}, "\u2022 ", `${plural(ties, "tie")}: the exact number is half-way between two codes`) : "");
}

// The map of one output, with a choice of slices where there are several.
function heatMap(output, number, answers) {
  const elements = elementsOf(output, number, answers);
  const slices = d3.group(elements, (d) => d.slice);
  const first = elements.find((d) => d.state === "wrong")?.slice ?? 0;
  const title = `${output.name}  ${output.type}[${output.dims.join(", ")}]`;
  const place = el("div.scroll.heat");
  const draw = (slice) => place.replaceChildren(elements.length ? heatPlot(output, slices.get(slice) ?? []) : el("p.muted", {}, "The output has no elements."));
  const wrongIn = (slice) => slices.get(slice).filter((d) => d.state === "wrong").length;
  const chooser = slices.size > 1 ? el("label", {}, "first index ", el("select", { change: (event) => draw(Number(event.target.value)) }, ...[...slices.keys()].map((slice) => el("option", { value: slice, selected: slice === first }, `${slice}: ${count(wrongIn(slice))} wrong`)))) : "";
  if (elements.length && elements.every((d) => d.state === "exact" || d.state === "unspecified"))
    return el("div", {}, el("h3", {}, title), heatLegend(elements));
  draw(first);
  const cut = output.count > output.want.length ? el("p.warning", {}, `Of ${count(output.count)} elements the first ${count(output.want.length)} are shown.`) : "";
  return el("div", {}, el("div.map", {}, el("h3", {}, title), heatLegend(elements), cut, chooser, place), differences(output, elements));
}
