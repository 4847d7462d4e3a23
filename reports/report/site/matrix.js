// SPDX-License-Identifier: Apache-2.0
// The matrix: operators (or families, types, features, tags) by targets.
"use strict";

const SEVERITIES = ["wrong", "robustness", "advisory", "none"];

// Sums of a cell, [[kind, verdict, count], ...].
function summarize(cell) {
  const sum = { passed: 0, compared: 0, fresh: 0, known: 0, advisory: 0, skipped: 0, worst: -1, lines: [] };
  for (const [kind, verdict, n] of cell) {
    const name = kindWord(kind);
    if (name === "skip") {
      sum.skipped += n;
      sum.lines.push([`skipped`, n]);
      continue;
    }
    if (verdictWord(verdict) !== "unspecified") sum.compared += n;
    if (name === "pass" && verdictWord(verdict) !== "unspecified") sum.passed += n;
    if (isNew(kind)) sum.fresh += n;
    if (name === "known") sum.known += n;
    if (name === "advisory") sum.advisory += n;
    const rank = (v) => (v < 0 ? SEVERITIES.length : SEVERITIES.indexOf(front.verdicts[v][1]));
    if (name !== "pass" && rank(verdict) < rank(sum.worst)) sum.worst = verdict;
    sum.lines.push([`${verdictWord(verdict)}${name === "pass" ? "" : `, ${stateOf(kind)}`}`, n]);
  }
  sum.share = sum.compared ? sum.passed / sum.compared : -1;
  return sum;
}

function tone(sum) {
  if (!sum.compared) return "none";
  if (sum.fresh) return sum.share < 0.9 ? "bad2" : "bad1";
  if (sum.known) return "known";
  return sum.advisory ? "advisory" : "good";
}

function notes(sum) {
  const parts = [sum.fresh && `${count(sum.fresh)} new`, sum.known && `${count(sum.known)} known`, sum.advisory && `${count(sum.advisory)} adv.`];
  return parts.filter(Boolean).join(" · ");
}

function cellNode(by, name, column, sum) {
  if (!sum.compared) return el("span.cell.is-none", { "aria-label": sum.skipped ? `${count(sum.skipped)} skipped` : "no case" }, sum.skipped ? "skipped" : "–");
  const inside = [el("b", {}, percent(sum.passed, sum.compared)), el("small", {}, notes(sum))];
  const attributes = { "data-row": name, "data-column": front.columns[column].label, "aria-label": `${name} on ${columnName(column)}: ${percent(sum.passed, sum.compared)} pass, ${notes(sum) || "no failure"}` };
  if (!notes(sum) || by !== "operator") return el(`span.cell.is-${tone(sum)}`, attributes, ...inside);
  return el(`a.cell.is-${tone(sum)}`, { ...attributes, href: `#/causes?op=${encodeURIComponent(name)}&column=${column}` }, ...inside);
}

function cellTip(name, column, sum) {
  const card = el("div.tip", {}, el("b", {}, `${name} on ${columnName(column)}`));
  if (sum.compared) card.append(el("p", {}, `${count(sum.passed)} of ${plural(sum.compared, "comparison")} pass.`));
  if (sum.worst >= 0) card.append(el("p", {}, `Gravest: ${verdictWord(sum.worst)} (${front.verdicts[sum.worst][2]}).`));
  for (const [line, n] of sum.lines) card.append(el("div.line", {}, el("span.number", {}, count(n)), line));
  return card;
}

function matrixColumns(by) {
  const one = (i) => ({
    title: shortColumn(front.columns[i]).replaceAll("=", "=\u200b"), // many columns are narrow: a line may end there
    field: `c${i}`,
    minWidth: 96,
    maxWidth: 190,
    hozAlign: "center",
    headerHozAlign: "center",
    cell: (row) => cellNode(by, row.name, i, row[`c${i}`]),
    sorter: (a, b) => a.share - b.share || b.fresh - a.fresh,
    tooltip: (_, cell) => (cell.getElement().isConnected ? cellTip(cell.getRow().getData().name, i, cell.getValue()) : ""),
  });
  const groups = [...releases()].map(([title, members]) => ({ title, headerHozAlign: "center", columns: members.map(one) }));
  return [{ title: by[0].toUpperCase() + by.slice(1), field: "name", frozen: true, minWidth: 190, widthGrow: 2, cell: (row) => el("span.rowname", {}, by === "operator" ? opName(row.name) : row.name) }, ...groups];
}

// Rows with new failures first, then with known ones, then by name.
function matrixRows(by) {
  const rows = front.matrix[by].map(([name, ...cells]) => {
    const row = { name, fresh: 0, known: 0, advisory: 0 };
    cells.forEach((cell, i) => {
      const sum = summarize(cell);
      row[`c${i}`] = sum;
      for (const key of ["fresh", "known", "advisory"]) row[key] += sum[key];
    });
    return row;
  });
  return rows.sort((a, b) => b.fresh - a.fresh || b.known - a.known || a.name.localeCompare(b.name));
}

function legend(items) {
  return el("p.legend", {}, ...items.map(([name, text]) => el("span", {}, el(`i.swatch.is-${name}`), text)));
}

function matrixSection() {
  const place = el("div.matrix");
  let shown;
  const only = el("input", { type: "checkbox", id: "only", change: () => filter() });
  const filter = () => (only.checked ? shown.setFilter((row) => row.fresh + row.known + row.advisory > 0) : shown.clearFilter(true));
  const buttons = Object.keys(front.matrix).filter((by) => front.matrix[by].length).map((by) => el("button", { type: "button", "aria-pressed": "false", click: () => draw(by) }, `by ${by}`));
  const draw = (by) => {
    buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.textContent === `by ${by}`)));
    shown?.destroy();
    shown = table(place, matrixRows(by), matrixColumns(by), { layout: "fitColumns", renderVertical: "basic", height: undefined });
    shown.on("tableBuilt", filter);
  };
  const bar = el("div.bar", {}, el("div.switch", { role: "group", "aria-label": "Rows" }, ...buttons), el("label", {}, only, " only rows with failures"));
  const meaning = legend([["good", "all pass"], ["known", "known failures only"], ["advisory", "advisories only"], ["bad1", "new failures"], ["bad2", "new failures, under 90 % pass"], ["none", "not run"]]);
  const whole = section("Where it fails", el("p.muted", {}, "Share of comparisons that pass. Follow an operator's cell to its causes; click a heading to sort."), bar, place, meaning);
  queueMicrotask(() => draw("operator"));
  return whole;
}
