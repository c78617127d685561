// A score as the sum that it is: one bar a score, one stretch a term, and the figures beside it in words.

import { el, svg } from "./dom.js";
import { number, say } from "./words.js";

const WIDTH = 240;
const HEIGHT = 12;
const SMALLEST = 0.0005;
const NEARLY_ONE = 0.995;

/** The terms of a breakdown after the factor that holds for all of them, those that are nought left out. */
function terms(own) {
  const rows = [
    ["relevance", own.relevance * own.decay_factor],
    ["use", own.mass_boost],
    ["certainty", own.certainty_term],
    ["persona", own.persona_term],
  ];
  return rows.map(([name, value]) => ({ name, value: value * own.saturation })).filter((row) => Math.abs(row.value) >= SMALLEST);
}

/** The bar of a score; `widest` is the score that fills the width. What is taken off stands left of nought. */
export function scoreBars(own, widest, why) {
  const rows = terms(own);
  const below = -Math.min(0, ...[rows.filter((row) => row.value < 0).reduce((sum, row) => sum + row.value, 0)]);
  const scale = WIDTH / (Math.max(widest, rows.filter((row) => row.value > 0).reduce((sum, row) => sum + row.value, 0)) + below);
  let right = below * scale;
  let left = right;
  const bars = rows.map((row) => {
    const width = Math.abs(row.value) * scale;
    const x = row.value > 0 ? right : left - width;
    if (row.value > 0) right += width;
    else left -= width;
    return svg("rect", { x, y: 0, width, height: HEIGHT, class: `term-${row.name}` });
  });
  const nought = svg("line", { x1: below * scale, x2: below * scale, y1: -2, y2: HEIGHT + 2, class: "nought" });
  const picture = svg("svg", { viewBox: `0 -2 ${WIDTH} ${HEIGHT + 4}`, class: "score-bar", "aria-hidden": "true", preserveAspectRatio: "none" }, bars, below > 0 ? nought : null);
  return el("div", { class: "score" }, picture, el("p", { class: "score-terms small" }, figures(own, rows), why ? el("span", { class: "quiet" }, why) : null));
}

function figures(own, rows) {
  const shown = rows.map((row) => el("span", { class: "term" }, el("span", { class: `swatch term-${row.name}`, "aria-hidden": "true" }), ` ${say(`recall.${row.name}`)} ${number(row.value, 3)}`));
  const factors = [
    own.decay_factor < NEARLY_ONE && `${say("recall.age")} ×${number(own.decay_factor, 2)}`,
    own.saturation < NEARLY_ONE && `${say("recall.shown")} ×${number(own.saturation, 2)}`,
  ].filter(Boolean);
  return [el("strong", {}, number(own.expected_sum, 4)), ...shown, ...factors.map((words) => el("span", { class: "quiet" }, words))];
}
