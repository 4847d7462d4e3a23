// SPDX-License-Identifier: Apache-2.0
// The model as a small graph, laid out by dagre.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const typeOnly = (text) => text.split(" {")[0];

// Boxes of the graph: its nodes, and the tensors that none of them computes or that are outputs.
function boxesOf(kase) {
  const boxes = new Map();
  kase.values.forEach(([name, role, text], i) => {
    if (role !== "between") boxes.set(`v${i}`, { title: name, note: typeOnly(text), role, tip: text || name });
  });
  kase.nodes.forEach((node, i) => boxes.set(`n${i}`, { title: node.op, note: node.attributes.map(([name, value]) => `${name}=${value}`).join("  "), role: "node", tip: `${node.domain ? `${node.domain}:` : ""}${node.op}` }));
  return boxes;
}

// Edges with the name of a tensor that has no box.
function edgesOf(kase) {
  const producer = new Map(), edges = [];
  kase.nodes.forEach((node, n) => node.outputs.forEach((value) => producer.set(value, `n${n}`)));
  kase.nodes.forEach((node, n) => node.inputs.forEach((value) => {
    if (value >= 0) edges.push(producer.has(value) && kase.values[value][1] === "between" ? [producer.get(value), `n${n}`, kase.values[value][0]] : [`v${value}`, `n${n}`, ""]);
  }));
  kase.values.forEach(([, role], i) => role === "output" && producer.has(i) && edges.push([producer.get(i), `v${i}`, ""]));
  return edges;
}

const cutText = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);

function layOut(kase) {
  const graph = new dagre.graphlib.Graph({ multigraph: true }).setGraph({ rankdir: "TB", nodesep: 14, ranksep: 30, marginx: 6, marginy: 6 });
  for (const [key, box] of boxesOf(kase)) {
    const note = cutText(box.note, 34);
    graph.setNode(key, { ...box, note, width: 24 + 7.2 * Math.max(box.title.length, note.length * 0.85), height: note ? 42 : 28 });
  }
  edgesOf(kase).forEach(([from, to, label], i) => graph.setEdge(from, to, { label }, `e${i}`));
  dagre.layout(graph);
  return graph;
}

function drawBox(box) {
  const group = svg("g", { class: `box is-${box.role}`, transform: `translate(${box.x - box.width / 2},${box.y - box.height / 2})` });
  group.append(svg("title", {}, box.tip), svg("rect", { width: box.width, height: box.height, rx: box.role === "node" ? 4 : box.height / 2 }), svg("text", { x: box.width / 2, y: box.note ? 18 : 18 }, cutText(box.title, 40)));
  if (box.note) group.append(svg("text", { class: "note", x: box.width / 2, y: 33 }, box.note));
  return group;
}

function graphPicture(kase) {
  const graph = layOut(kase), { width, height } = graph.graph();
  const line = d3.line((p) => p.x, (p) => p.y).curve(d3.curveBasis);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `The model: ${kase.nodes.map((node) => node.op).join(", ")}` });
  picture.append(svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0,0 L8,4 L0,8 z" }))));
  for (const key of graph.edges()) {
    const { points, label } = graph.edge(key);
    picture.append(svg("path", { class: "edge", d: line(points), "marker-end": "url(#arrow)" }));
    const middle = points[Math.floor(points.length / 2)];
    if (label) picture.append(svg("text", { class: "edgename", x: middle.x + 5, y: middle.y + 4 }, label));
  }
  for (const key of graph.nodes()) picture.append(drawBox(graph.node(key)));
  return el("div.scroll.graph", {}, picture);
}
