// SPDX-License-Identifier: Apache-2.0
// The front page: what was judged, and the verdict in one line for each release.
"use strict";

function totals(columns) {
  const cells = front.matrix.operator.flatMap(([, ...row]) => columns.flatMap((i) => row[i]));
  return summarize(cells);
}

const causesOf = (columns, wanted) => front.causes.filter((cause) => wanted(cause.kind) && cause.columns.some(([i, bad]) => bad > 0 && columns.includes(i)));

function sentence(sum, fresh) {
  if (!sum.compared) return "nothing was compared";
  if (sum.fresh) return `${plural(sum.fresh, "new failure")} from ${plural(fresh, "cause")}`;
  return sum.known ? `no new failure; ${count(sum.known)} are known` : "no failure";
}

function verdictCard([title, columns]) {
  const sum = totals(columns);
  const fresh = causesOf(columns, isNew).length;
  const state = !sum.compared ? "none" : sum.fresh ? "bad" : sum.known ? "known" : "good";
  const rest = [`${percent(sum.passed, sum.compared || 1)} of ${plural(sum.compared, "comparison")} pass`, sum.known && sum.fresh && `${count(sum.known)} known`, sum.advisory && plural(sum.advisory, "advisory", "advisories"), sum.skipped && `${count(sum.skipped)} skipped`];
  return el(`article.verdict.is-${state}`, {}, el("h2", {}, title), el("p.lead", {}, sentence(sum, fresh)), el("p.muted", {}, rest.filter(Boolean).join(" · ")));
}

function topCauses() {
  const fresh = front.causes.filter((cause) => isNew(cause.kind)).slice(0, 5);
  if (!fresh.length) return "";
  const most = fresh[0].results;
  const lines = fresh.map((cause) => el("li", {}, el("a", { href: causeLink(front.causes.indexOf(cause)) }, causeName(cause)), el("span.meter", { title: plural(cause.results, "result") }, el("i", { style: `width:${(100 * cause.results) / most}%` })), el("span.number", {}, count(cause.results))));
  return section("The largest causes", el("ol.top", {}, ...lines), el("p", {}, el("a", { href: "#/causes" }, `All ${plural(front.causes.length, "cause")}`)));
}

function runTable() {
  const rows = front.runs.map((run) => el("tr", {}, el("td", {}, run.file), el("td", {}, run.started.replace("T", " ").replace("Z", "")), el("td", {}, run.cpu), el("td", {}, run.selection), el("td", {}, `${run.suite} ${run.commit}`), el("td", {}, run.complete ? "complete" : el("b.warning", {}, "cut short"))));
  const head = ["Results file", "Started (UTC)", "CPU", "Cases", "qdiff", ""].map((title) => el("th", {}, title));
  return section("What was run", el("div.scroll", {}, el("table.plain", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows))));
}

function overviewPage() {
  const cut = front.runs.filter((run) => !run.complete).map((run) => run.file.replace(/^.*\//, ""));
  return [
    el("h1", {}, "Conformance of quantized operators"),
    cut.length ? el("p.warning", {}, `Cut short, so that cases are missing below: ${cut.join(", ")}.`) : "",
    el("div.verdicts", {}, ...[...releases()].map(verdictCard)),
    topCauses(),
    matrixSection(),
    runTable(),
  ];
}
