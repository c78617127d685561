// The memory view: what is remembered, what a question finds and what each score is made of, and where an item comes from.

import { get, post } from "./api.js";
import { announce, el, plain, said } from "./dom.js";
import { badge, handle, itemLine } from "./marks.js";
import { scoreBars } from "./score.js";
import { named, number, say, time } from "./words.js";

const PAGE = 50;

/** Draw the view. `place` is a handle whose item is shown beside the list. */
export async function show(content, place, { open }) {
  const toItem = (name) => open("memory", name);
  const list = el("section", { class: "memory-list", "aria-label": say("memory.list") });
  const detail = el("section", { class: "memory-detail", "aria-label": say("memory.item"), tabindex: "-1" });
  content.replaceChildren(el("div", { class: "memory" }, el("div", {}, searchForm(list, toItem), list), detail));
  const drawn = [showNewest(list, toItem, {})];
  if (place) drawn.push(showItem(detail, place, toItem));
  else detail.append(el("p", { class: "quiet" }, say("memory.choose")));
  await Promise.all(drawn);
  if (place) content.addEventListener("shown", () => detail.scrollIntoView({ block: "nearest" }), { once: true });
}

function searchForm(list, toItem) {
  const query = el("input", { id: "memory-query", type: "search", dir: "auto", autocomplete: "off" });
  const source = el(
    "select",
    { id: "memory-source" },
    el("option", { value: "" }, say("memory.every_source")),
    ["user", "assistant", "external", "system"].map((name) => el("option", { value: name }, named("source", name))),
  );
  const hidden = el("input", { id: "memory-hidden", type: "checkbox" });
  const form = el(
    "form",
    { class: "filters", role: "search" },
    el("div", { class: "grow" }, el("label", { for: "memory-query" }, say("memory.query")), query),
    el("div", {}, el("label", { for: "memory-source" }, say("memory.source_label")), source),
    el("div", { class: "check" }, hidden, el("label", { for: "memory-hidden" }, say("memory.hidden"))),
    el("button", { type: "submit" }, say("memory.search")),
  );
  const look = () => (query.value.trim() ? showRecall(list, query.value, toItem) : showNewest(list, toItem, { source: source.value, hidden: hidden.checked || undefined }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    guarded(list, look);
  });
  for (const one of [source, hidden]) {
    one.addEventListener("change", () => {
      query.value = "";
      guarded(list, look);
    });
  }
  return form;
}

async function guarded(place, work) {
  try {
    await work();
  } catch (error) {
    place.replaceChildren(el("p", { class: "fault", role: "alert" }, say("page.failed", { reason: error.message })));
  }
}

async function showNewest(list, toItem, filter, limit = PAGE) {
  const { items } = await get("/memory", { ...filter, limit });
  const rows = items.map((item) => el("li", { class: item.hidden ? "is-hidden" : null }, itemLine(item, toItem)));
  const more = items.length === limit && limit < 1000;
  list.replaceChildren(
    el("h3", { class: "section" }, say("memory.newest"), el("span", { class: "quiet small" }, number(items.length))),
    items.length ? el("ol", { class: "rows" }, rows) : el("p", { class: "quiet" }, say("memory.empty")),
    more ? el("button", { type: "button", on: { click: () => guarded(list, () => showNewest(list, toItem, filter, Math.min(1000, limit * 4))) } }, say("page.more")) : "",
  );
}

async function showRecall(list, query, toItem) {
  const found = await post("/memory/recall", { query, top_k: 12, explain: true });
  const widest = Math.max(0.0001, ...[...found.items, ...found.held_back].map((row) => row.breakdown?.expected_sum ?? 0));
  list.replaceChildren(
    el("h3", { class: "section" }, say("memory.found"), el("span", { class: "quiet small" }, number(found.items.length))),
    found.mode === "lexical" && el("p", { class: "quiet small" }, say("memory.by_words")) || "",
    found.items.length ? el("ol", { class: "rows" }, found.items.map((item) => scored(item, widest, toItem))) : el("p", { class: "quiet" }, say("memory.nothing")),
    el("h3", { class: "section" }, say("memory.why_not"), el("span", { class: "quiet small" }, number(found.held_back.length))),
    found.held_back.length ? el("ol", { class: "rows" }, found.held_back.map((row) => heldBack(row, widest, toItem))) : el("p", { class: "quiet" }, say("recall.none_held")),
  );
  announce(say("memory.told", { found: found.items.length, held: found.held_back.length }));
}

function scored(item, widest, toItem) {
  const why = item.reason ? named("reason", item.reason) : item.why;
  return el("li", {}, itemLine(item, toItem), item.breakdown && scoreBars(item.breakdown, widest, why));
}

function heldBack(row, widest, toItem) {
  const why = row.factor ? named("factor", row.factor) : row.reason;
  return el(
    "li",
    {},
    el("p", { class: "item-head" }, el("span", { class: "why-not" }, `✕ ${why}`), handle(row.handle, toItem)),
    row.text && said(row.text, { class: "item-words" }, "p"),
    row.breakdown && scoreBars(row.breakdown, widest, ""),
  );
}

async function showItem(place, reference, toItem) {
  let item;
  try {
    item = await get(`/memory/${encodeURIComponent(reference)}`);
  } catch (error) {
    place.replaceChildren(el("p", { class: "fault", role: "alert" }, say("page.failed", { reason: error.message })));
    return;
  }
  const facts = [
    ["memory.kind", named("kind", item.kind)],
    ["memory.status", named("status", item.status)],
    ["memory.author", item.author],
    ["memory.recorded", time(item.recorded_at)],
    ["memory.mass", number(item.mass, 3)],
    ["memory.seen", number(item.seen)],
    ["memory.locator", item.locator],
    ["memory.made_of", item.origin.map((name) => named("source", name)).join(", ")],
  ].filter(([, value]) => value);
  place.replaceChildren(
    el("p", { class: "item-head" }, badge(item.source), handle(item.handle), item.hidden && el("span", { class: "quiet small" }, say("memory.is_hidden"))),
    said(item.text, { class: "words" }, "p"),
    el("dl", { class: "facts" }, facts.map(([key, value]) => [el("dt", {}, say(key)), el("dd", {}, said(String(value)))])),
    answers("memory.confirmed_by", item.confirmed_by, toItem),
    answers("memory.denied_by", item.denied_by, toItem),
    el("h3", { class: "section" }, say("memory.lineage")),
    item.tree.length ? tree(item.tree, toItem) : el("p", { class: "quiet" }, say(item.source === "user" ? "memory.root_user" : "memory.root")),
  );
}

function answers(key, items, toItem) {
  if (!items.length) return "";
  return el("div", {}, el("h3", { class: "section" }, say(key)), el("ul", { class: "rows" }, items.map((one) => el("li", {}, itemLine(one, toItem)))));
}

function tree(ancestors, toItem) {
  return el(
    "ul",
    { class: "tree" },
    ancestors.map((one) =>
      el(
        "li",
        {},
        el("p", { class: "small quiet" }, named("lineage", one.relation), one.ends ? ` ${named("lineage", one.ends)}` : ""),
        one.text === undefined ? el("p", { class: "handle" }, plain(one.id)) : itemLine(one, toItem),
        one.tree.length ? tree(one.tree, toItem) : null,
      ),
    ),
  );
}
