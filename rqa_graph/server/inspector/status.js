// Whether the log and the ledger hold, what is there, and what the verifier and the server have done: figures with plots.

import { get, getText } from "./api.js";
import { button, el } from "./dom.js";
import { bars, columns } from "./plots.js";
import { byLabel, parsed, quantiles } from "./metrics.js";
import { named, number, say, time } from "./words.js";

/** Draw the view. */
export async function show(content, _place, { open }) {
  const [status, findings, text] = await Promise.all([get("/status"), get("/status/findings"), getText("/metrics")]);
  const metrics = parsed(text);
  content.replaceChildren(
    el(
      "div",
      { class: "status" },
      panel("status.log", logFacts(status)),
      panel("status.ledger", ledger()),
      panel("status.memory", memoryFacts(status)),
      panel("status.findings", findingsPlot(findings.turns, open), "wide"),
      panel("status.requests", requestsPlot(metrics), "wide"),
      panel("status.claims", claimsPlot(metrics)),
      panel("status.turns", turnsPlot(metrics)),
    ),
  );
}

function panel(key, body, size = "") {
  return el("section", { class: `panel ${size}`, "aria-label": say(key) }, el("h3", { class: "section" }, say(key)), body);
}

function facts(rows) {
  return el("dl", { class: "facts" }, rows.filter(([, value]) => value !== undefined && value !== null).map(([key, value]) => [el("dt", {}, say(key)), el("dd", {}, value)]));
}

function holds(intact, yes, no) {
  return el("p", { class: intact ? "holds verdict" : "fault verdict" }, intact ? `✓ ${say(yes)}` : `✕ ${say(no)}`);
}

function logFacts({ log, version }) {
  return el(
    "div",
    {},
    holds(log.intact, "status.intact", "status.broken"),
    facts([
      ["status.events", log.events === undefined ? null : number(log.events)],
      ["status.head", log.head && el("code", { class: "hash" }, log.head)],
      ["status.place", log.place && el("code", {}, log.place)],
      ["status.version", version],
    ]),
  );
}

function ledger() {
  const place = el("div", { "aria-live": "polite" }, el("p", { class: "quiet small" }, say("status.ledger_why")));
  const check = async () => {
    try {
      const found = await get("/status/ledger");
      if (!found.kept) return place.replaceChildren(el("p", { class: "quiet" }, say("status.no_ledger")));
      const faults = (found.faults ?? []).map((one) => el("li", {}, `${one.seq}: ${one.what} ${one.entry}`));
      return place.replaceChildren(
        holds(found.holds, "status.ledger_holds", "status.ledger_broken"),
        facts([["status.attestations", found.events === undefined ? null : number(found.events)], ["status.entries", found.entries === undefined ? null : number(found.entries)], ["status.first_broken", found.first_broken]]),
        el("ul", { class: "plain" }, faults),
      );
    } catch (error) {
      return place.replaceChildren(el("p", { class: "fault" }, say("page.failed", { reason: error.message })));
    }
  };
  return el("div", {}, place, button(say("status.check"), check));
}

function memoryFacts({ memory, waiting }) {
  const sources = Object.entries(memory.source).map(([name, value]) => ({ label: named("source", name), value, parts: [{ name: `source-${name}`, value }] }));
  return el("div", {}, bars(sources, say("status.items")), facts([["status.visible", number(memory.total.visible)], ["status.hidden", number(memory.total.hidden)], ["status.waiting", number(waiting)]]));
}

function findingsPlot(turns, open) {
  if (!turns.length) return el("p", { class: "quiet" }, say("status.nothing_yet"));
  const rows = turns.map((turn) => ({
    label: time(turn.recorded_at),
    open: () => open("talk", turn.thread),
    parts: ["valid", "corrected", "removed"].map((name) => ({ name, value: turn[name], label: say(`status.${name}`) })),
  }));
  return columns(rows, ["valid", "corrected", "removed"].map((name) => ({ name, label: say(`status.${name}`) })), say("status.findings"));
}

function requestsPlot(metrics) {
  const found = quantiles(metrics, "rqa_http_request_seconds", "route");
  const counts = byLabel(metrics, "rqa_http_requests_total", "route");
  const rows = [...counts].sort((one, two) => two[1] - one[1]).slice(0, 12);
  return el(
    "div",
    { class: "scrolls", tabindex: "0", role: "region", "aria-label": say("status.requests") },
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, ["status.route", "status.count", "status.median", "status.p95"].map((key) => el("th", { scope: "col" }, say(key))))),
      el("tbody", {}, rows.map(([route, count]) => el("tr", {}, el("th", { scope: "row" }, el("code", {}, route)), el("td", {}, number(count)), ...[0.5, 0.95].map((share) => el("td", {}, upTo(found.get(route)?.(share))))))),
    ),
  );
}

/** A histogram only knows between which bounds a time lies: the upper one is told. */
function upTo(seconds) {
  if (seconds === undefined) return "";
  return Number.isFinite(seconds) ? `≤ ${number(seconds * 1000)} ms` : say("status.slower");
}

function claimsPlot(metrics) {
  const rows = [...byLabel(metrics, "rqa_claims_total", "verdict")].map(([name, value]) => ({ label: name === "valid" ? say("status.valid") : named("verdict", name), value, parts: [{ name: name === "valid" ? "valid" : "removed", value }] }));
  return rows.length ? bars(rows, say("status.claims")) : el("p", { class: "quiet" }, say("status.nothing_yet"));
}

function turnsPlot(metrics) {
  const rows = [...byLabel(metrics, "rqa_turns_total", "level")].map(([name, value]) => ({ label: say("status.level", { level: name }), value, parts: [{ name: "turns", value }] }));
  return rows.length ? bars(rows, say("status.turns")) : el("p", { class: "quiet" }, say("status.nothing_yet"));
}
