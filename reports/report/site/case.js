// SPDX-License-Identifier: Apache-2.0
// The page of one case.
"use strict";

// Results of which the same is said, together.
function groupResults(results, sayings) {
  const groups = new Map();
  for (const result of results) {
    const key = JSON.stringify(sayings.map((saying) => result[saying]));
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  return [...groups.values()];
}

const diverges = (result) => !["pass", "skip"].includes(kindWord(result.kind));
const columnsOf = (group) => group.map((result) => result.column);

function resultTable(results) {
  const rows = groupResults(results, ["kind", "verdict", "answers", "message", "why", "element"]).map((group) => {
    const [first] = group;
    const differs = first.mismatched ? `${count(first.mismatched)} of ${count(first.compared)} differ` : "";
    const what = [differs, first.element && `first at ${first.element}: want ${first.want}, have ${first.have}`, first.why].filter(Boolean).join("; ");
    return el("tr", {}, el("td", {}, groupTitle(columnsOf(group))), el("td", {}, pill(first.kind)), el("td", {}, word(first.verdict ?? -1)), el("td", {}, what));
  });
  return el("div.scroll", {}, el("table.plain", {}, el("tbody", {}, ...rows)));
}

function diagnosisFacts(result) {
  if (!result.diagnosis) return "";
  return el("div.card", {}, el("h3", {}, `Diagnosis: ${result.diagnosis}`), facts([["Effect", result.effect], ["Evidence", result.evidence], ["Place", result.place], ["Facts", result.facts], ["Seen before", result.seen && issues(result.seen)]]));
}

// A list without repetitions, of what some of the group's results say.
const sayings = (group, what) => [...new Set(group.map((result) => result[what]).filter(Boolean))];

const causeLinks = (group) => el("span", {}, ...[...new Set(group.map((result) => result.cause))].filter((i) => i >= 0).flatMap((i, n) => [n ? ", " : "", el("a", { href: causeLink(i) }, causeName(front.causes[i]))]));

// One thing that targets did: what it breaks, why, the map, how to see it. What they did may be known on one and new on another.
function groupPart(group, kase, id) {
  const [result] = group, diagnosed = group.find((other) => other.diagnosis);
  const answers = parseAnswers(result.answers ?? "");
  const maps = result.answers && kase.outputs ? kase.outputs.map((output, i) => heatMap(output, i, answers)) : [];
  return el("section.group", {},
    el("h2", {}, word(result.verdict ?? -1), " on ", groupTitle(columnsOf(group))),
    result.message ? el("pre.message", {}, result.message) : "",
    facts([["Breaks", result.clause], ["Severity", result.severity], ["Stage", result.stage && `at ${result.stage}`], ["Signal", result.signal], ["Known as", sayings(group, "issue").length ? issues(sayings(group, "issue").join(", ")) : ""], ["Reason", sayings(group, "reason").join("; ")], ["Cause", causeLinks(group)], ["Exact number", result.real && `${result.element} is ${result.real}, before it is rounded and the zero point added`]]),
    ...maps,
    diagnosed ? diagnosisFacts(diagnosed) : "",
    el("h3", {}, "To see it"), command(reproduce(id, result)));
}

const groupParts = (results, kase, id) => groupResults(results.filter(diverges), ["verdict", "answers", "message", "why", "element"]).map((group) => groupPart(group, kase, id));

function download(kase) {
  const name = `${kase.id.replaceAll(/[^A-Za-z0-9._-]+/g, "-")}.qdcase`;
  const save = () => {
    const bytes = Uint8Array.from(atob(kase.file), (c) => c.charCodeAt(0));
    const link = el("a", { href: URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  return el("p", {}, el("button.main", { type: "button", id: "download", click: save }, "Download the case"), el("small", {}, "  a file for qdiff repro, explain, reduce and export"));
}

function arithmetic(kase) {
  if (!kase.explained) return "";
  return section(`How ${kase.explained.element} comes about`, el("p.muted", {}, `The first element that ${kase.explained.target} gives wrongly, as qdiff explain computes it.`), el("pre.arithmetic", {}, kase.explained.text));
}

function modelPart(kase) {
  if (!kase.nodes) return "";
  const tensors = kase.values.filter(([, , text]) => text).map(([name, role, text]) => el("tr", {}, el("td.mono", {}, name), el("td", {}, role), el("td.mono", {}, text)));
  return section("The model", graphPicture(kase), el("div.scroll", {}, el("table.plain", {}, el("tbody", {}, ...tensors))), kase.request ? el("pre", {}, kase.request) : "");
}

function staleNote(kase) {
  if (kase.absent) return el("p.warning", {}, "This case is not in the suite of the qdiff that wrote this page (a file of its own, or another version): here is what the results file says of it.");
  return kase.stale ? el("p.warning", {}, "The qdiff that wrote this page expects another value than the one that made the results: the element-wise pictures are left out.") : "";
}

// A case without details: the rows of its causes.
function shortCase(number) {
  const [id] = front.cases[number];
  const results = front.causes.flatMap((cause, c) => cause.members.filter(([kase]) => kase === number).map(([, column, verdict, element, want, have, mismatched, compared]) => ({ cause: c, kind: cause.kind, column, verdict, element, want, have, mismatched, compared })));
  return [caseHead(number), el("p.muted", {}, "The smallest cases of a cause have a page with all details; this one shows what every page of a cause lists."), resultTable(results), ...groupParts(results, {}, id)];
}

function caseHead(number) {
  const [id, op] = front.cases[number];
  return el("div", {}, el("p.crumbs", {}, el("a", { href: "#/causes" }, "Causes"), ` / ${op}`), el("h1.long", {}, id));
}

async function casePage(text) {
  const number = front.cases.findIndex(([id]) => id === decodeURIComponent(text));
  if (number < 0) return missing();
  const [id, op, page] = front.cases[number];
  if (!page) return shortCase(number);
  const kase = await qdiff.load(`case ${page}`, `cases/${page}.js`);
  return [
    caseHead(number),
    facts([["Operator", `${op}${kase.opset ? `, opset ${kase.opset}` : ""}`], ["Has to be rejected", kase.rule && `by rule ${kase.rule}`], ["Known issue", kase.issue && issues(kase.issue)], ["Specification", kase.spec], ["Note", kase.note], ["Features", kase.features?.replaceAll(",", ", ")]]),
    staleNote(kase),
    kase.file ? download(kase) : "",
    section("What each target did", resultTable(kase.results)),
    ...groupParts(kase.results, kase, id),
    arithmetic(kase),
    modelPart(kase),
  ];
}
