// SPDX-License-Identifier: Apache-2.0
// What all pages use: elements, words, links. Text of results is hostile and becomes text nodes only, never HTML.
"use strict";

const front = qdiff.data.front;
const KIND = Object.fromEntries(front.kinds.map(([word], i) => [word, i]));

// el("a.button", {href: "#/"}, "text", child ...): an element with classes, attributes, children.
function el(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null && child !== false && child !== ""));
  return element;
}

const count = (n) => n.toLocaleString("en").replaceAll(",", "\u202f");
const plural = (n, word, words = `${word}s`) => `${count(n)} ${n === 1 ? word : words}`;
// Rounded down: only what passes everything has 100 %.
const percent = (part, all) => (part === all ? "100 %" : `${(Math.floor((part * 1000) / all) / 10).toFixed(1)} %`);

const verdictWord = (i) => (i >= 0 ? front.verdicts[i][0] : "");
const kindWord = (i) => front.kinds[i][0];

// Addresses of causes and cases; a case's holds its id, so that it is the same in the next report.
const causeLink = (i) => `#/cause/${i}`;
const caseLink = (i) => `#/case/${encodeURIComponent(front.cases[i][0])}`;

// The states that a person tells apart.
const STATES = { fail: "new", fixed: "fixed", "bad-input": "bad input", broken: "broken", advisory: "advisory", known: "known", pass: "pass", skip: "skipped" };
const stateOf = (kind) => STATES[kindWord(kind)];
const isNew = (kind) => ["fail", "fixed", "bad-input", "broken"].includes(kindWord(kind));

const pill = (kind) => el(`span.pill.is-${kindWord(kind)}`, { title: front.kinds[kind][1] }, stateOf(kind));
const word = (verdict) => el("span", { title: verdict >= 0 ? front.verdicts[verdict][2] : undefined }, verdictWord(verdict) || "—");

// --- Targets -----------------------------------------------------------------------------------------

const settingsOf = (column) => (column.settings ? column.settings.split(",") : []);
// Settings that every column of a target has say nothing.
const isCommon = (name, setting) => front.columns.every((other) => other.name !== name || settingsOf(other).includes(setting));
const shortSettings = (column) => settingsOf(column).filter((setting) => !isCommon(column.name, setting)).join(", ");
const release = (column) => (column.version ? `${column.name} ${column.version}` : column.name);
// What tells a column from others of its release; a second run of the same target also says where it ran.
function shortColumn(column) {
  const elsewhere = column.label.slice(column.target.length).trim();
  return [shortSettings(column), elsewhere].filter(Boolean).join(" ") || "default";
}
const columnName = (i) => (i < 0 ? "no target" : `${release(front.columns[i])} ${shortColumn(front.columns[i])}`);
// Columns of one release, in a row.
function releases() {
  const groups = new Map();
  front.columns.forEach((column, i) => {
    const key = release(column);
    groups.set(key, [...(groups.get(key) ?? []), i]);
  });
  return groups;
}

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
// A known divergence is diagnosed without rows only.
function reproduce(id, result) {
  const column = front.columns[result.column];
  if (!column) return `qdiff show ${quote(id)}`;
  const rows = column.rows && kindWord(result.kind) !== "known";
  return `qdiff repro ${quote(id)} --target ${quote(column.target)}${rows ? "" : " --no-expectations"}`;
}

// --- Pieces of pages ---------------------------------------------------------------------------------

const TRACKERS = { onnxruntime: "microsoft/onnxruntime", onnx: "onnx/onnx", "torch-mlir": "llvm/torch-mlir", pytorch: "pytorch/pytorch", tensorflow: "tensorflow/tensorflow", iree: "iree-org/iree", executorch: "pytorch/executorch" };

// An address as the other issues are written: "onnxruntime #25512"; a report of the project by its name.
function shortIssue(text) {
  const finding = /^reports\/findings\/([\w.-]+)\/report\.md$/.exec(text);
  if (finding) return `finding ${finding[1]}`;
  const match = /^https:\/\/github\.com\/[\w.-]+\/([\w.-]+)\/(issues|pull)\/(\d+)$/.exec(text);
  return match ? `${match[1]}${match[2] === "pull" ? " PR" : ""} #${match[3]}` : text;
}

// "onnxruntime #25512, pytorch PR #19714" with links where the tracker is known; of more than `most` the first ones.
function issues(text, most = Infinity) {
  const parts = text.split(", "), line = el("span");
  let tracker = "";
  for (const [i, part] of parts.slice(0, most).entries()) {
    if (i > 0) line.append(", ");
    if (shortIssue(part) !== part) {
      line.append(part.startsWith("https:") ? el("a", { href: part, rel: "noreferrer" }, shortIssue(part)) : shortIssue(part));
      continue;
    }
    const match = /^(?:([\w.-]+) )?(PR )?#(\d+)$/.exec(part);
    tracker = match ? (match[1] ?? tracker) : "";
    const repository = match && Object.hasOwn(TRACKERS, tracker) ? TRACKERS[tracker] : undefined;
    line.append(repository ? el("a", { href: `https://github.com/${repository}/${match[2] ? "pull" : "issues"}/${match[3]}`, rel: "noreferrer" }, part) : part);
  }
  if (parts.length > most) line.append(` and ${parts.length - most} more`);
  return line;
}

function command(text) {
  const button = el("button.quiet", { type: "button", click: () => navigator.clipboard?.writeText(text).then(() => { button.textContent = "Copied"; }) }, "Copy");
  return el("div.command", {}, el("code", {}, text), button);
}

// A list of terms; those without a value are left out.
function facts(pairs) {
  const list = el("dl.facts");
  for (const [term, value] of pairs)
    if (value !== undefined && value !== null && value !== "") list.append(el("dt", {}, term), el("dd", {}, value));
  return list;
}

// "com.microsoft:QLinearAdd" in two lines.
function opName(op) {
  const [name, domain] = op.split(":").reverse();
  return el("span", {}, domain ? el("small.domain", {}, domain) : "", name);
}

const section = (title, ...children) => el("section", {}, el("h2", {}, title), ...children);

// A table of Tabulator's; `cell` of a column makes a node of the row. Titles and values are text.
function table(place, rows, columns, options = {}) {
  const header = (cell) => el("span", {}, cell.getColumn().getDefinition().title);
  const prepare = (column) => {
    if (column.columns) return { ...column, titleFormatter: column.titleFormatter ?? header, columns: column.columns.map(prepare) };
    const { cell, ...rest } = column;
    return {
      headerTooltip: false,
      headerHozAlign: column.hozAlign,
      titleFormatter: header,
      formatter: (c) => (cell ? cell(c.getRow().getData()) : el("span", {}, String(c.getValue() ?? ""))),
      ...rest,
    };
  };
  return new Tabulator(place, {
    data: rows,
    columns: columns.map(prepare),
    layout: "fitColumns",
    renderVertical: rows.length > 300 ? "virtual" : "basic",
    height: rows.length > 300 ? "70vh" : undefined,
    headerSortElement: (_, direction) => ({ asc: "\u25b4", desc: "\u25be" })[direction] ?? "\u25b4\u25be",
    placeholder: "Nothing here.",
    columnDefaults: { resizable: false, headerSortTristate: false },
    ...options,
  });
}
