// The picture of a graph: where things stand comes from the server, here they are only drawn.

import { plain, svg } from "./dom.js";

const MARK = 9;
const LINES = 2;
const HALF_WIDTHS_A_LINE = 22;
const LINE_HEIGHT = 13;
const SMALLEST_SCALE = 0.62;
const LARGEST_SCALE = 1.5;

const SHAPES = {
  question: () => svg("circle", { r: MARK }),
  answer: () => svg("path", { d: `M0 ${-MARK} L${MARK} ${MARK - 1} L${-MARK} ${MARK - 1} Z` }),
  claim: () => svg("rect", { x: -MARK + 1, y: -MARK + 1, width: 2 * MARK - 2, height: 2 * MARK - 2 }),
  tension: () => svg("path", { d: `M0 ${-MARK - 1} L${MARK + 1} 0 L0 ${MARK + 1} L${-MARK - 1} 0 Z` }),
  note: () => svg("rect", { x: -MARK + 1, y: -MARK / 2, width: 2 * MARK - 2, height: MARK }),
};
const DOT = () => svg("circle", { r: MARK / 2 });

/** The picture of `found`, and a function that marks one item in it. */
export function picture(found, onChoose) {
  const by = new Map(found.nodes.map((node) => [node.id, node]));
  const lines = found.edges.map((edge) => line(edge, by));
  const marks = new Map(found.nodes.map((node) => [node.id, mark(node, onChoose)]));
  const arrow = svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0 L8 4 L0 8 Z", class: "arrow" }));
  const node = svg("svg", { viewBox: `0 0 ${found.width} ${found.height}`, class: "graph-picture", "aria-hidden": "true" }, svg("defs", {}, arrow), lines.map((one) => one.node), [...marks.values()]);
  node.style.minWidth = `${found.width * SMALLEST_SCALE}px`;
  node.style.maxWidth = `${found.width * LARGEST_SCALE}px`;
  const choose = (id) => {
    for (const [name, one] of marks) one.classList.toggle("is-chosen", name === id);
    for (const one of lines) one.node.classList.toggle("is-chosen", one.edge.src === id || one.edge.dst === id);
  };
  return { node, choose };
}

function line(edge, by) {
  const from = by.get(edge.src);
  const to = by.get(edge.dst);
  const far = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const short = (MARK + 4) / far;
  const [dx, dy] = [(to.x - from.x) * short, (to.y - from.y) * short];
  const node = svg("line", { x1: from.x + dx, y1: from.y + dy, x2: to.x - dx, y2: to.y - dy, class: `tie tie-${edge.kind}`, "marker-end": "url(#arrow)" });
  return { node, edge };
}

function mark(node, onChoose) {
  const shape = (SHAPES[node.kind] ?? DOT)();
  const classes = ["mark", `mark-${node.source}`, node.standing === "open" ? "is-open" : "", node.matched ? "" : "is-beside"];
  const words = lines(node.text).map((text, at) => svg("text", { y: MARK + LINE_HEIGHT * (at + 1), "text-anchor": "middle" }, plain(text).map((one) => (typeof one === "string" ? one : one.textContent))));
  const group = svg("g", { transform: `translate(${node.x} ${node.y})`, class: classes.filter(Boolean).join(" ") }, shape, node.kind === "question" ? svg("text", { y: 4, "text-anchor": "middle", class: "mark-sign" }, "?") : null, words);
  group.addEventListener("click", () => onChoose(node.id));
  return group;
}

/** The beginning of a text in lines of about the same width; a wide letter counts twice. */
function lines(text) {
  const made = [];
  let words = "";
  let width = 0;
  for (const letter of text.replace(/\s+/gu, " ")) {
    const own = /[\u1100-\uffdc\u{20000}-\u{3ffff}]/u.test(letter) ? 2 : 1;
    const full = width + own > HALF_WIDTHS_A_LINE;
    if (full || (letter === " " && width > HALF_WIDTHS_A_LINE - 5)) {
      if (made.length === LINES - 1) return [...made, `${words.trimEnd()}…`];
      made.push(words);
      [words, width] = [letter === " " ? "" : letter, own];
    } else {
      words += letter;
      width += own;
    }
  }
  return words ? [...made, words] : made;
}
