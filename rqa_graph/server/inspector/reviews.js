// The review queue: what waits for a person, what approval would change, and the decision.

import { get, post } from "./api.js";
import { announce, button, el, freshId, said } from "./dom.js";
import { named, say, time } from "./words.js";

/** Draw the view. `place` is the id of an item. */
export async function show(content, place, { open }) {
  const [{ items }, who] = await Promise.all([get("/reviews", { everything: true }), get("/whoami")]);
  const waiting = items.filter((item) => item.status === "pending");
  const decided = items.filter((item) => item.status !== "pending").reverse();
  const detail = el("section", { class: "review-detail", "aria-label": say("reviews.item") });
  content.replaceChildren(
    el(
      "div",
      { class: "reviews" },
      el(
        "nav",
        { class: "review-list", "aria-label": say("reviews.queue") },
        heading("reviews.waiting", waiting.length),
        waiting.length ? list(waiting, place) : el("p", { class: "quiet" }, say("reviews.none")),
        decided.length > 0 && heading("reviews.decided", decided.length),
        decided.length > 0 && list(decided, place),
      ),
      detail,
    ),
  );
  if (place) await showItem(detail, place, { open, who });
  else detail.append(el("p", { class: "quiet" }, say("reviews.choose")));
}

function heading(key, count) {
  return el("h3", { class: "section" }, say(key), el("span", { class: "quiet small" }, String(count)));
}

function list(items, place) {
  return el(
    "ol",
    { class: "rows" },
    items.map((item) =>
      el(
        "li",
        {},
        el(
          "a",
          { href: `#reviews/${encodeURIComponent(item.id)}`, class: "review-row", "aria-current": item.id === place ? "true" : null },
          el("strong", {}, named("queue.kind", item.kind)),
          el("span", { class: "quiet small" }, `${named("queue.status", item.status)} · ${time(item.asked_at, { dateStyle: "medium" })}`),
          said(gist(item.payload), { class: "review-gist" }),
        ),
      ),
    ),
  );
}

/** The first text of a payload: enough to know an item by. */
function gist(payload) {
  const first = ["answer", "proposed_adjustment", "observation", "question"].find((name) => typeof payload[name] === "string");
  return first ? payload[first] : (Object.values(payload).find((value) => typeof value === "string") ?? "");
}

async function showItem(place, id, { open, who }, told = "") {
  const item = await get(`/reviews/${encodeURIComponent(id)}`);
  const again = (words) => showItem(place, id, { open, who }, words).then(() => place.focus());
  const facts = [
    ["reviews.requester", item.requester],
    ["reviews.asked", time(item.asked_at)],
    ["reviews.version", String(item.version)],
    ["reviews.edited_by", item.edited_by],
    ["reviews.decided_by", item.decided_by && `${item.decided_by}, ${time(item.decided_at)}`],
    ["reviews.note", item.note],
  ].filter(([, value]) => value);
  place.setAttribute("tabindex", "-1");
  place.replaceChildren(
    el("h3", { class: "review-title" }, named("queue.kind", item.kind), el("span", { class: "quiet small" }, named("queue.status", item.status))),
    told ? el("p", { class: "told", role: "status" }, told) : "",
    said(item.text, { class: "review-text" }, "p"),
    el("dl", { class: "facts" }, facts.map(([key, value]) => [el("dt", {}, say(key)), el("dd", {}, said(value))])),
  );
  if (item.status !== "pending") return;
  const written = (item.payload.authors ?? []).includes(who.user);
  place.append(decision(item, written, again, () => open("reviews", id)), editor(item, again));
}

function decision(item, written, again, stay) {
  const note = el("input", { id: freshId("note"), type: "text", maxlength: "1000", dir: "auto" });
  const fault = el("p", { class: "fault", role: "alert", hidden: true });
  const decide = async (verdict) => {
    try {
      const done = await post(`/reviews/${encodeURIComponent(item.id)}/decision`, { decision: verdict, version: item.version, note: note.value });
      announce(done.text);
      stay();
    } catch (error) {
      if (error.code === "stale_version" || error.code === "already_decided") await again(error.message);
      fault.textContent = error.message;
      fault.hidden = false;
    }
  };
  const approve = button(say("reviews.approve"), () => decide("approve"), { class: "primary", disabled: written, "aria-describedby": written ? "own-words" : null });
  return el(
    "div",
    { class: "decision" },
    el("label", { for: note.id }, say("reviews.note_label")),
    note,
    written ? el("p", { class: "small", id: "own-words" }, say("reviews.own_words")) : "",
    fault,
    el("p", { class: "decision-row" }, approve, button(say("reviews.reject"), () => decide("reject"))),
  );
}

/** A form over what may be edited of a payload: fields whose form the schema gives. What is no text is JSON here. */
function editor(item, again) {
  const forms = Object.entries(item.schema.properties ?? {});
  const names = forms.filter(([name, form]) => form.type && name in item.payload).map(([name]) => name);
  const fields = names.map((name) => field(name, item.payload[name]));
  const fault = el("p", { class: "fault", role: "alert", hidden: true });
  const form = el("form", { class: "editor" }, fields.map((one) => one.node), fault, el("p", { class: "decision-row" }, el("button", { type: "submit" }, say("reviews.save"))));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const payload = { ...item.payload, ...Object.fromEntries(fields.map((one) => [one.name, one.read()])) };
      const done = await post(`/reviews/${encodeURIComponent(item.id)}/decision`, { decision: "edit", version: item.version, payload });
      await again(say("reviews.saved", { version: done.version }));
    } catch (error) {
      fault.textContent = error.message;
      fault.hidden = false;
    }
  });
  return el("details", { class: "fold edit-fold" }, el("summary", {}, say("reviews.edit")), form);
}

function field(name, value) {
  const isText = typeof value === "string";
  const text = isText ? value : JSON.stringify(value, null, 1);
  const box = el("textarea", { id: freshId("field"), rows: String(Math.min(8, 1 + text.split("\n").length)), dir: "auto", spellcheck: String(isText), class: isText ? null : "json" });
  box.value = text;
  return { name, node: el("div", {}, el("label", { for: box.id }, name), box), read: () => (isText ? box.value : JSON.parse(box.value)) };
}
