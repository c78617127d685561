// One turn as a proof page: what was said, the marks in it, and beside it what each mark means.

import { get } from "./api.js";
import { el, freshId, plain, said } from "./dom.js";
import { badge, finding, handle, itemLine, woven } from "./marks.js";
import { named, say, time } from "./words.js";

/** A turn of `/conversations/turns` or `/turns`. `open(view, place)` leads elsewhere. */
export function showTurn(turn, { open }) {
  const toItem = (name) => open("memory", name);
  return el(
    "article",
    { class: "turn", "aria-label": time(turn.recorded_at) },
    turn.user_text && spoken(turn),
    turn.parts.map((part) => reply(part, turn.items ?? {}, toItem)),
    sawBlock(turn, toItem),
  );
}

function spoken(turn) {
  return el(
    "div",
    { class: "said-by-user" },
    el("h3", { class: "speaker" }, say("talk.you"), el("time", { datetime: turn.recorded_at, class: "quiet small" }, time(turn.recorded_at))),
    said(turn.user_text, { class: "words" }, "p"),
  );
}

function reply(part, items, toItem) {
  const cards = [];
  const notes = new Map();
  const cite = (piece) => {
    const item = items[piece.node];
    const number = notes.get(piece.node) ?? notes.size + 1;
    if (!notes.has(piece.node)) {
      notes.set(piece.node, number);
      cards.push(card(number, item, piece, toItem));
    }
    const label = item ? `${named("source", item.source)}: ${item.text}` : piece.text;
    return el("button", { type: "button", class: "cite", title: label, "aria-label": `${say("talk.cited")} ${number}: ${label}`, on: { click: () => toItem(item?.handle ?? piece.node) } }, `✓${number}`);
  };
  const words = woven(part.pieces, cite);
  const wrong = part.pieces.filter((piece) => piece.kind === "removed").map((piece) => removal(piece));
  const heading = part.part === "question" ? say("talk.question") : say("talk.assistant");
  return el(
    "div",
    { class: `reply ${part.part === "question" ? "asks" : ""}` },
    el("h3", { class: "speaker" }, heading, part.line && el("span", { class: "quiet small" }, part.line)),
    el("div", { class: "proof" }, el("p", { class: "words", dir: "auto" }, words), margin(cards, wrong)),
    part.removed_elsewhere.length > 0 && elsewhere(part.removed_elsewhere),
  );
}

function margin(cards, wrong) {
  if (!cards.length && !wrong.length) return null;
  return el("ul", { class: "margin", "aria-label": say("talk.findings") }, [...wrong, ...cards].map((one) => el("li", {}, one)));
}

function removal(piece) {
  return el("div", { class: "slip wrong" }, finding(piece.verdict, piece.action), el("del", { class: "gone" }, plain(piece.text.trim())));
}

function card(number, item, piece, toItem) {
  if (!item) return el("div", { class: "slip" }, finding("valid"), handle(piece.node));
  return el(
    "div",
    { class: "slip" },
    el("p", { class: "item-head" }, el("span", { class: "note-number" }, `✓${number}`), badge(item.source), handle(item.handle, toItem)),
    said(item.text, { class: "slip-words" }, "p"),
  );
}

function elsewhere(rows) {
  return el(
    "details",
    { class: "fold" },
    el("summary", {}, `${say("talk.removed_elsewhere")} (${rows.length})`),
    el("ul", { class: "plain" }, rows.map((row) => el("li", {}, removal(row)))),
  );
}

function sawBlock(turn, toItem) {
  const body = el("div", { class: "saw" });
  const fold = el("details", { class: "fold" }, el("summary", {}, say("talk.saw")), body);
  let asked = false;
  fold.addEventListener("toggle", async () => {
    if (!fold.open || asked) return;
    asked = true;
    body.replaceChildren(el("p", { class: "quiet" }, say("page.loading")));
    try {
      const whole = turn.given ? turn : await get(`/turns/${encodeURIComponent(turn.turn)}`);
      body.replaceChildren(...saw(whole, toItem));
    } catch (error) {
      asked = false;
      body.replaceChildren(el("p", { class: "fault" }, say("page.failed", { reason: error.message })));
    }
  });
  return fold;
}

function saw(turn, toItem) {
  const { given } = turn;
  const label = freshId("block");
  const block = given.items.length
    ? [
        el("p", { class: `small ${given.exact ? "holds" : "quiet"}`, id: label }, given.exact ? `✓ ${say("talk.saw_exact")}` : say("talk.saw_inexact")),
        el("pre", { class: "block", tabindex: "0", role: "region", "aria-labelledby": label }, plain(given.block)),
      ]
    : [el("p", { class: "quiet" }, say("talk.saw_none"))];
  if (given.gone) block.push(el("p", { class: "small" }, say("talk.saw_gone", { count: given.gone })));
  const rows = turn.log.map((row) => el("li", { class: "small" }, say("talk.log_row", { seq: row.seq, hash: row.hash.slice(0, 16) })));
  return [
    ...block,
    turn.written.length > 0 && el("h4", {}, say("talk.wrote")),
    ...turn.written.map((item) => itemLine(item, toItem)),
    el("h4", {}, say("talk.in_log")),
    el("ul", { class: "plain" }, rows),
    turn.forked_from && el("p", { class: "small" }, say("talk.forked", { turn: turn.forked_from })),
  ].filter(Boolean);
}
