// The question graph: a picture to look at, and beside it the same as a list, which is what the keyboard walks.

import { get } from "./api.js";
import { announce, el, said } from "./dom.js";
import { badge, handle } from "./marks.js";
import { picture } from "./picture.js";
import { named, number, say } from "./words.js";

const KINDS = ["question", "answer", "claim", "tension", "note"];
const SOON_MS = 250;

/** Draw the view. */
export async function show(content, _place, { open }) {
  const chosen = { kinds: new Set(), standing: "", text: "" };
  const room = el("div", { class: "graph-room" });
  const redraw = async () => {
    try {
      const found = await get("/memory/graph", { kind: [...chosen.kinds], standing: chosen.standing, text: chosen.text });
      room.replaceChildren(...drawn(found, open));
      announce(say("page.shown_of", { shown: found.shown, total: found.total }));
    } catch (error) {
      room.replaceChildren(el("p", { class: "fault", role: "alert" }, say("page.failed", { reason: error.message })));
    }
  };
  content.replaceChildren(filters(chosen, redraw), room);
  await redraw();
}

function filters(chosen, redraw) {
  const text = el("input", { id: "graph-text", type: "search", dir: "auto", autocomplete: "off" });
  let soon = 0;
  text.addEventListener("input", () => {
    clearTimeout(soon);
    soon = setTimeout(() => {
      chosen.text = text.value;
      redraw();
    }, SOON_MS);
  });
  const standing = el(
    "select",
    { id: "graph-standing", on: { change: () => redraw(Object.assign(chosen, { standing: standing.value })) } },
    ["", "open", "answered"].map((name) => el("option", { value: name }, say(`graph.standing_${name || "every"}`))),
  );
  const kinds = KINDS.map((kind) => {
    const box = el("input", { type: "checkbox", id: `kind-${kind}` });
    box.addEventListener("change", () => {
      if (box.checked) chosen.kinds.add(kind);
      else chosen.kinds.delete(kind);
      redraw();
    });
    return el("span", { class: "check" }, box, el("label", { for: box.id }, named("kind", kind)));
  });
  return el(
    "form",
    { class: "filters", role: "search", on: { submit: (event) => event.preventDefault() } },
    el("div", { class: "grow" }, el("label", { for: "graph-text" }, say("graph.text")), text),
    el("div", {}, el("label", { for: "graph-standing" }, say("graph.standing")), standing),
    el("fieldset", {}, el("legend", {}, say("graph.kinds")), kinds),
  );
}

function drawn(found, open) {
  if (!found.nodes.length) return [el("p", { class: "quiet" }, say("graph.none"))];
  const detail = el("section", { class: "graph-detail", "aria-label": say("memory.item"), "aria-live": "polite" }, el("p", { class: "quiet" }, say("graph.choose")));
  const buttons = new Map();
  const by = new Map(found.nodes.map((node) => [node.id, node]));
  const choose = (id) => {
    for (const [name, one] of buttons) one.setAttribute("aria-pressed", String(name === id));
    drawing.choose(id);
    detail.replaceChildren(...about(by.get(id), found.edges, by, open, choose));
  };
  const drawing = picture(found, choose);
  const matched = found.nodes.filter((node) => node.matched);
  const rows = matched.map((node) => {
    const one = el("button", { type: "button", class: "graph-row", "aria-pressed": "false", on: { click: () => choose(node.id) } }, el("span", { class: "small quiet" }, standingWords(node)), said(node.text));
    buttons.set(node.id, one);
    return el("li", {}, one);
  });
  const label = say("graph.told", { nodes: number(found.nodes.length), edges: number(found.edges.length) });
  return [
    el(
      "div",
      { class: "graph" },
      el("figure", { class: "graph-figure" }, el("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": label }, drawing.node), legend()),
      el("div", { class: "graph-side" }, detail, el("h3", { class: "section" }, say("graph.list"), el("span", { class: "quiet small" }, say("page.shown_of", { shown: found.shown, total: found.total }))), el("ol", { class: "graph-rows" }, rows)),
    ),
  ];
}

function standingWords(node) {
  return [named("kind", node.kind), node.standing && say(`graph.standing_${node.standing}`)].filter(Boolean).join(", ");
}

function legend() {
  const parts = ["graph.shapes", "graph.fill", "graph.lines"].map((key) => el("li", {}, say(key)));
  return el("figcaption", { class: "small quiet" }, el("ul", { class: "plain" }, parts));
}

function about(node, edges, by, open, choose) {
  const tied = edges.filter((edge) => edge.src === node.id || edge.dst === node.id);
  const rows = tied.map((edge) => {
    const away = edge.src === node.id;
    const other = by.get(away ? edge.dst : edge.src);
    return el("li", {}, el("span", { class: "small quiet" }, `${away ? "→" : "←"} ${named("relation", edge.kind)} `), el("button", { type: "button", class: "graph-row", on: { click: () => choose(other.id) } }, said(other.text)));
  });
  return [
    el("p", { class: "item-head" }, badge(node.source), el("span", { class: "quiet small" }, standingWords(node)), handle(node.handle, (name) => open("memory", name))),
    said(node.text, { class: "words" }, "p"),
    el("ul", { class: "rows" }, rows),
  ];
}
