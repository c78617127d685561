// The conversation view: threads, their turns as a proof page, and a box to talk.

import { converse, get } from "./api.js";
import { announce, button, el, plain, said } from "./dom.js";
import { showTurn } from "./turn.js";
import { say, time } from "./words.js";

const FIRST_TURNS = 50;
const MOST_TURNS = 500;

/** Draw the view. `place` is what stands behind the name of the view in the address: a thread. */
export async function show(content, place, { open }) {
  const turns = el("div", { class: "turns" });
  const [list, found] = await Promise.all([
    get("/conversations", { limit: 100 }),
    fill(turns, place === "new" ? null : place, FIRST_TURNS, open),
  ]);
  const rows = list.conversations;
  const name = found.thread === null ? freshName() : found.name;
  const page = el("section", { class: "talk-page", "aria-label": say("talk.turns") }, legend(), turns);
  if (name === null) page.append(el("p", { class: "note" }, say("talk.elsewhere")));
  else page.append(composer(turns, name, open));
  content.replaceChildren(el("div", { class: "talk" }, threadList(rows, found.thread, open), page));
  content.addEventListener("shown", toTheEnd, { once: true });
}

/** Put the last turns of a thread in their place, with a way to those before them: "" is the newest, null a new one. */
async function fill(place, thread, limit, open) {
  const found = thread === null ? { thread, name: null, turns: [] } : await get("/conversations/turns", { thread, limit });
  const more = button(say("page.more"), () => fill(place, found.thread, MOST_TURNS, open).catch((error) => announce(error.message)));
  place.replaceChildren(
    ...(found.turns.length === limit && limit < MOST_TURNS ? [more] : []),
    ...found.turns.map((turn) => showTurn(turn, { open })),
    ...(found.turns.length ? [] : [el("p", { class: "quiet empty" }, say("talk.none"))]),
  );
  return found;
}

function toTheEnd() {
  window.scrollTo(0, document.documentElement.scrollHeight);
}

function freshName() {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function threadList(rows, current, open) {
  const items = rows.map((row) =>
    el(
      "li",
      {},
      el(
        "a",
        { href: `#talk/${encodeURIComponent(row.thread)}`, "aria-current": row.thread === current ? "true" : null },
        row.first_words ? said(row.first_words, { class: "thread-words" }) : el("span", { class: "thread-words quiet" }, say("talk.first_words_none")),
        el("span", { class: "quiet small" }, `${time(row.last_at)} · ${say("talk.turn_count", { count: row.turns })}`),
      ),
    ),
  );
  const wide = window.matchMedia("(min-width: 60rem)").matches;
  return el(
    "nav",
    { class: "threads", "aria-label": say("talk.threads") },
    button(say("talk.new"), () => open("talk", "new"), { class: "wide-button" }),
    el("details", { open: wide }, el("summary", {}, `${say("talk.threads")} (${rows.length})`), el("ol", {}, items)),
  );
}

function legend() {
  return el(
    "p",
    { class: "legend small" },
    el("span", { class: "claim" }, `✓ ${say("talk.legend_claim")}`),
    el("del", { class: "gone" }, say("talk.legend_removed")),
    el("ins", { class: "put" }, say("talk.legend_put")),
  );
}

function composer(turns, name, open) {
  let running = null;
  const box = el("textarea", { id: "message", rows: "2", required: true, "aria-describedby": "message-hint", dir: "auto" });
  const send = el("button", { type: "submit", class: "primary" }, say("talk.send"));
  const stop = button(say("talk.stop"), () => running?.abort(), { hidden: true });
  const form = el(
    "form",
    { class: "composer" },
    el("p", { class: "composer-head" }, el("label", { for: "message" }, say("talk.message")), el("span", { id: "message-hint", class: "quiet small" }, say("talk.message_hint"))),
    box,
    stop,
    send,
  );
  box.addEventListener("keydown", (event) => {
    // An Enter that ends the choice of kanji is no wish to send.
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) form.requestSubmit();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const message = box.value;
    if (!message.trim() || running) return;
    running = new AbortController();
    box.value = "";
    send.disabled = true;
    stop.hidden = false;
    const kept = await answered(turns, message, { name, open, signal: running.signal });
    running = null;
    if (!kept && !box.value) box.value = message;
    send.disabled = false;
    stop.hidden = true;
    box.focus();
  });
  return form;
}

/** Send a message and show the words as they are released; return false if nothing came of it. */
async function answered(turns, message, { name, open, signal }) {
  turns.querySelector(".empty")?.remove();
  const words = el("p", { class: "words streaming", dir: "auto", "aria-live": "polite" });
  const waiting = el("p", { class: "quiet waiting" }, say("talk.thinking"));
  const draft = el("article", { class: "turn" }, el("div", { class: "said-by-user" }, el("h3", { class: "speaker" }, say("talk.you")), said(message, { class: "words" }, "p")), el("div", { class: "reply" }, el("h3", { class: "speaker" }, say("talk.assistant")), words, waiting));
  turns.append(draft);
  toTheEnd();
  announce(say("talk.thinking"));
  try {
    const onWords = (piece) => {
      waiting.hidden = piece !== "";
      words.append(...plain(piece));
    };
    const turn = await converse(message, name, { onWords, signal });
    const whole = await get(`/turns/${encodeURIComponent(turn.turn)}`).catch((error) => (error.status === 404 ? null : Promise.reject(error)));
    if (whole) draft.replaceWith(showTurn(whole, { open }));
    else settled(words, waiting);
    toTheEnd();
    announce(say("talk.done", { line: turn.verification.line }));
    return true;
  } catch (error) {
    settled(words, waiting);
    const told = error.name === "AbortError" ? say("talk.stopped") : say("page.failed", { reason: error.message });
    draft.append(el("p", { class: "fault", role: "alert" }, told));
    return error.name === "AbortError";
  }
}

function settled(words, waiting) {
  words.classList.remove("streaming");
  waiting.remove();
}
