// SPDX-License-Identifier: Apache-2.0
// The list of causes, and the page of one.
"use strict";

const opsOf = (cause) => cause.operators.split(", ");
// An issue for an address; of a message, which may be long, two lines.
function causeName(cause) {
  const name = shortIssue(cause.name);
  return name.length > 150 ? `${name.slice(0, 147)}...` : name;
}

function causeRows() {
  return front.causes.map((cause, i) => ({ ...cause, number: i, state: stateOf(cause.kind) }));
}

function causeCell(row) {
  const same = row.sentence === row.name;
  return el("div.cause", {}, el("a", { href: causeLink(row.number) }, causeName(row)), el("div.muted", {}, same ? "" : row.sentence));
}

const CAUSE_COLUMNS = [
  { title: "State", field: "state", width: 104, cell: (row) => pill(row.kind) },
  { title: "Cause", field: "name", widthGrow: 6, minWidth: 280, cell: causeCell },
  { title: "Target", field: "target", width: 120, visible: new Set(front.columns.map((column) => column.name)).size > 1 },
  { title: "Operators", field: "operators", widthGrow: 2, minWidth: 170, cell: (row) => el("span.muted", {}, shorten(opsOf(row))) },
  { title: "Results", field: "results", width: 104, hozAlign: "right", sorter: "number", cell: (row) => el("span", {}, count(row.results)) },
  { title: "Cases", field: "cases", width: 96, hozAlign: "right", sorter: "number", cell: (row) => el("span", {}, count(row.cases)) },
  { title: "Issue", field: "issue", widthGrow: 1, minWidth: 120, cell: (row) => issues(row.issue, 2) },
];

const bare = (op) => op.slice(op.indexOf(":") + 1);
function shorten(ops) {
  const shown = ops.slice(0, 3).map(bare).join(", ");
  return ops.length > 3 ? `${shown} and ${ops.length - 3} more` : shown;
}

const choice = (label, name, options, chosen) =>
  el("label", {}, `${label} `, el("select", { name }, ...options.map(([value, text]) => el("option", { value, selected: value === chosen }, text))));

// Whether a cause is shown under what the form says.
function passes(cause, form) {
  const text = `${cause.name} ${cause.sentence} ${cause.issue} ${cause.operators}`.toLowerCase();
  return (
    (!form.state || stateOf(cause.kind) === form.state) &&
    (!form.op || opsOf(cause).includes(form.op)) &&
    (!form.column || cause.columns.some(([i, bad]) => bad > 0 && String(i) === form.column)) &&
    (!form.text || form.text.toLowerCase().split(/\s+/).every((part) => text.includes(part)))
  );
}

function causesPage(_, query) {
  const any = [["", "any"]];
  const states = [...new Set(front.causes.map((cause) => stateOf(cause.kind)))];
  const ops = [...new Set(front.causes.flatMap(opsOf))].sort();
  const text = el("input", { type: "search", name: "text", placeholder: "words of the name, sentence, issue", "aria-label": "Words", value: query.get("text") ?? "" });
  const form = el("form.bar", { submit: (event) => event.preventDefault() }, text,
    choice("State", "state", [...any, ...states.map((s) => [s, s])], query.get("state") ?? ""),
    choice("Operator", "op", [...any, ...ops.map((op) => [op, op])], query.get("op") ?? ""),
    choice("Target", "column", [...any, ...front.columns.map((_column, i) => [String(i), columnName(i)])], query.get("column") ?? ""));
  const shown = el("p.muted", { "aria-live": "polite" });
  const place = el("div.causes");
  queueMicrotask(() => {
    const list = table(place, causeRows(), CAUSE_COLUMNS, { renderVertical: "basic", height: undefined });
    const filter = () => list.setFilter((row) => passes(row, Object.fromEntries(new FormData(form))));
    list.on("tableBuilt", filter);
    list.on("dataFiltered", (_filters, rows) => { shown.textContent = `${count(rows.length)} of ${plural(front.causes.length, "cause")}`; });
    form.addEventListener("input", filter);
  });
  return [el("h1", {}, "Causes"), el("p.muted", {}, "Failures that have the same diagnosis, message, rule or features have one cause. New ones come first, then advisories, then what is known."), form, shown, place];
}

// --- One cause ----------------------------------------------------------------------------------------

// Where it is seen: one box for each target that ran one of its cases.
function seenOn(cause) {
  return el("div.seen", {}, ...cause.columns.map(([i, bad, good, other, skipped]) => {
    const state = bad ? "bad" : other ? "known" : good ? "good" : "none";
    const said = [bad && `${count(bad)} fail so`, other && `${count(other)} fail by another cause`, good && `${count(good)} pass`, skipped && `${count(skipped)} skipped`].filter(Boolean).join(", ");
    return el(`div.is-${state}`, { title: front.columns[i].label }, el("b", {}, columnName(i)), el("span", {}, said));
  }));
}

// One row for each case and behaviour, with the targets that show it.
function memberRows(cause) {
  const rows = new Map();
  for (const [kase, column, verdict, element, want, have, mismatched, compared] of cause.members) {
    const [id, , page] = front.cases[kase];
    const key = JSON.stringify([kase, verdict, element, want, have, mismatched]);
    const row = rows.get(key) ?? { kase, id, page, verdict, mismatched, compared, columns: [], first: element ? `${element} want ${want}, have ${have}` : "" };
    row.columns.push(column);
    row.targets = groupTitle(row.columns);
    rows.set(key, row);
  }
  const rank = (row) => (row.kase === cause.smallest ? 0 : row.page ? 1 : 2);
  return [...rows.values()].sort((a, b) => rank(a) - rank(b));
}

// "ort 1.26.0 (opt=none; opt=all), ort 1.31.1"
function groupTitle(columns) {
  const names = new Map();
  for (const i of columns) {
    const key = i < 0 ? "no target" : release(front.columns[i]);
    names.set(key, [...(names.get(key) ?? []), i < 0 ? "" : shortColumn(front.columns[i])]);
  }
  const all = releases();
  return [...names].map(([name, settings]) => (settings.length === (all.get(name)?.length ?? 1) ? name : `${name} (${settings.join("; ")})`)).join(", ");
}

const MEMBER_COLUMNS = [
  { title: "Case", field: "id", widthGrow: 5, minWidth: 300, cell: (row) => el("span", {}, el("a", { href: caseLink(row.kase) }, row.id), row.page ? "" : el("small", {}, " (short page)")) },
  { title: "Targets", field: "targets", widthGrow: 3, minWidth: 150 },
  { title: "Verdict", field: "verdict", width: 140, cell: (row) => word(row.verdict) },
  { title: "First difference", field: "first", widthGrow: 3, minWidth: 160, cell: (row) => el("span.mono", {}, row.first) },
  { title: "Differ", field: "mismatched", width: 110, hozAlign: "right", sorter: "number", cell: (row) => el("span", {}, row.compared ? `${count(row.mismatched)} of ${count(row.compared)}` : "") },
];

function causePage(number) {
  const cause = front.causes[number];
  if (!cause) return missing();
  const place = el("div.members");
  const smallest = cause.members.find(([kase]) => kase === cause.smallest);
  queueMicrotask(() => table(place, memberRows(cause), MEMBER_COLUMNS));
  return [
    el("p.crumbs", {}, el("a", { href: "#/causes" }, "Causes"), ` / ${Number(number) + 1} of ${front.causes.length}`),
    el("p.crumbs", {}, pill(cause.kind)),
    el("h1.long", {}, shortIssue(cause.name)),
    cause.sentence !== cause.name ? el("p.lead", {}, cause.sentence) : "",
    facts([["Seen", `${plural(cause.results, "result")} of ${plural(cause.cases, "case")} on ${cause.target || "no target"}`], ["Operators", cause.operators], ["Issue", cause.issue && issues(cause.issue)], ["Smallest case", el("a", { href: caseLink(cause.smallest) }, front.cases[cause.smallest][0])]]),
    command(reproduce(front.cases[cause.smallest][0], { column: smallest[1], kind: cause.kind })),
    section("On each target", el("p.muted", {}, "What its cases do there."), seenOn(cause)),
    section("Its cases", place),
  ];
}

const missing = () => [el("h1", {}, "Not in this report"), el("p", {}, el("a", { href: "#/" }, "Overview"))];
