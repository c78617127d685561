// Marks that mean the same in every view: who said it, what the verifier found. Each is a shape and words, never only a
// colour.

import { el, plain, said } from "./dom.js";
import { named, say, time } from "./words.js";

const SHAPES = { user: "■", assistant: "◇", external: "▤", system: "⚙" };
const FOUND = { valid: "✓" };

/** Who an item comes from. */
export function badge(source) {
  return el("span", { class: `badge from-${source}` }, el("span", { "aria-hidden": "true" }, SHAPES[source] ?? "?"), " ", named("source", source));
}

/** A finding in words, such as "unknown id: removed". */
export function finding(verdict, action) {
  const shape = FOUND[verdict] ?? "✕";
  const words = verdict === "valid" ? say("talk.legend_claim") : [named("verdict", verdict), action && named("action", action)].filter(Boolean).join(": ");
  return el("span", { class: `finding is-${verdict === "valid" ? "valid" : "wrong"}` }, el("span", { "aria-hidden": "true" }, shape), " ", words);
}

/** One remembered item on a line of its own: badge, date, words, handle. */
export function itemLine(item, onOpen) {
  return el(
    "div",
    { class: "item" },
    el("p", { class: "item-head" }, badge(item.source), el("span", { class: "quiet" }, time(item.recorded_at, { dateStyle: "medium" })), handle(item.handle, onOpen)),
    said(item.text, { class: "item-words" }, "p"),
  );
}

/** A handle as a reply cites it; a button where there is something to open. */
export function handle(name, onOpen) {
  const text = `m:${name}`;
  if (!onOpen) return el("span", { class: "handle" }, plain(text));
  return el("button", { type: "button", class: "handle", on: { click: () => onOpen(name) } }, plain(text));
}

/** A mark on words, without the space behind them. */
function marked(tag, props, text) {
  const words = text.trimEnd();
  return [el(tag, props, plain(words)), text.slice(words.length)];
}

const PIECES = {
  text: (piece) => plain(piece.text),
  claim: (piece) => marked("span", { class: "claim" }, piece.text),
  put: (piece) => marked("ins", { class: "put" }, piece.text),
  removed: (piece) => [...marked("del", { class: "gone", title: named("verdict", piece.verdict) }, piece.text), " "],
};

/** A reply in pieces. `cite` makes the mark of a reference from its piece. */
export function woven(pieces, cite) {
  return pieces.flatMap((piece) => (piece.kind === "reference" ? [cite(piece)] : PIECES[piece.kind](piece)));
}
