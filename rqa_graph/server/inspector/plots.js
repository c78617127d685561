// Plots: bars with their figures beside them, and columns over time. What a plot shows is in its table too.

import { el, svg } from "./dom.js";
import { number } from "./words.js";

const WIDTH = 240;
const HEIGHT = 10;
const TALL = 110;
const COLUMN = 14;

/** Bars, one a row: `{label, value, parts: [{name, value}]}`. */
export function bars(rows, label) {
  const most = Math.max(1, ...rows.map((row) => row.value));
  return el(
    "table",
    { class: "bars", "aria-label": label },
    el(
      "tbody",
      {},
      rows.map((row) => el("tr", {}, el("th", { scope: "row" }, row.label), el("td", { class: "bar-cell" }, bar(row.parts, most)), el("td", { class: "figure" }, number(row.value)))),
    ),
  );
}

function bar(parts, most) {
  let x = 0;
  const drawn = parts.map((part) => {
    const width = (part.value / most) * WIDTH;
    x += width;
    return svg("rect", { x: x - width, y: 0, width, height: HEIGHT, class: `fill-${part.name}` });
  });
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "bar", preserveAspectRatio: "none", "aria-hidden": "true" }, drawn);
}

/** Columns over time, stacked: `{label, open, parts: [{name, value, label}]}`; the same figures as a table behind it. */
export function columns(rows, kinds, label) {
  const totals = rows.map((row) => row.parts.reduce((sum, part) => sum + part.value, 0));
  const most = Math.max(1, ...totals);
  const drawn = rows.map((row, at) => {
    let y = TALL;
    const stack = row.parts.map((part) => {
      const height = (part.value / most) * (TALL - 4);
      y -= height;
      return svg("rect", { x: 2, y, width: COLUMN - 4, height, class: `fill-${part.name}` });
    });
    const hit = svg("rect", { x: 0, y: 0, width: COLUMN, height: TALL, class: "hit" }, svg("title", {}, told(row)));
    const group = svg("g", { transform: `translate(${at * COLUMN} 0)`, class: "column" }, stack, hit);
    group.addEventListener("click", row.open);
    return group;
  });
  const floor = svg("line", { x1: 0, x2: rows.length * COLUMN, y1: TALL, y2: TALL, class: "floor" });
  const picture = svg("svg", { viewBox: `0 0 ${Math.max(rows.length, 20) * COLUMN} ${TALL + 2}`, class: "columns", "aria-hidden": "true", preserveAspectRatio: "xMinYMax meet" }, drawn, floor);
  const legend = el("p", { class: "legend small" }, kinds.map((kind) => el("span", {}, el("span", { class: `swatch fill-${kind.name}`, "aria-hidden": "true" }), ` ${kind.label}`)));
  return el("figure", { "aria-label": label }, picture, el("figcaption", {}, legend, table(rows, kinds)));
}

function told(row) {
  return `${row.label}: ${row.parts.map((part) => `${part.label} ${part.value}`).join(", ")}`;
}

function table(rows, kinds) {
  const head = el("tr", {}, el("td", {}), kinds.map((kind) => el("th", { scope: "col" }, kind.label)));
  const body = rows.map((row) => el("tr", {}, el("th", { scope: "row" }, row.label), row.parts.map((part) => el("td", {}, number(part.value)))));
  return el("div", { class: "unseen" }, el("table", {}, el("thead", {}, head), el("tbody", {}, body)));
}
