// The page: which view is shown, in which language, and where a token is asked for.

import { get, onTokenNeeded } from "./api.js";
import { announce, button, el } from "./dom.js";
import { language, say, speak } from "./words.js";

const VIEWS = ["talk", "memory", "graph", "reviews", "status"];
const content = document.getElementById("content");
let drawing = 0;
let drawn = "";

function place() {
  const [view, ...rest] = location.hash.slice(1).split("/");
  return VIEWS.includes(view) ? [view, decodeURIComponent(rest.join("/"))] : ["talk", ""];
}

function open(view, where = "") {
  const hash = `#${view}${where ? `/${encodeURIComponent(where)}` : ""}`;
  if (location.hash === hash) draw();
  else location.hash = hash;
}

async function draw({ byPerson = true } = {}) {
  const [view, where] = place();
  drawing += 1;
  const mine = drawing;
  for (const link of document.querySelectorAll(".views a")) {
    if (link.hash === `#${view}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  content.setAttribute("aria-busy", "true");
  const room = el("div", { class: `view view-${view}` });
  try {
    const module = await import(`./${view}.js`);
    await module.show(room, where, { open, stale: () => mine !== drawing });
  } catch (error) {
    room.replaceChildren(fault(error));
  }
  if (mine !== drawing) return;
  content.replaceChildren(el("h2", { class: "unseen" }, say(`view.${view}`)), room);
  content.removeAttribute("aria-busy");
  if (drawn !== view) window.scrollTo(0, 0);
  drawn = view;
  room.dispatchEvent(new Event("shown"));
  if (byPerson) content.focus({ preventScroll: true });
}

function fault(error) {
  const told = say("page.failed", { reason: error.message });
  announce(told);
  return el("div", { class: "pad" }, el("p", { class: "fault" }, told), button(say("page.again"), () => draw()));
}

function askToken(wrong) {
  return new Promise((resolve) => {
    const box = el("input", { id: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true });
    const form = el(
      "form",
      { method: "dialog" },
      el("h2", { id: "token-title" }, say("token.title")),
      el("p", {}, say("token.why")),
      wrong && el("p", { class: "fault", role: "alert" }, say("token.wrong")),
      el("label", { for: "token" }, say("token.label")),
      box,
      el("p", { class: "composer-foot" }, el("button", { type: "submit", class: "primary" }, say("token.use"))),
    );
    const dialog = el("dialog", { "aria-labelledby": "token-title" }, form);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      dialog.close();
      dialog.remove();
      resolve(box.value.trim());
    });
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    document.body.append(dialog);
    dialog.showModal();
  });
}

async function who() {
  const found = await get("/whoami");
  document.getElementById("who").textContent = say("page.who", { user: found.user });
}

async function choose(lang) {
  await speak(lang);
  const address = new URL(location.href);
  address.searchParams.set("lang", lang);
  history.replaceState(null, "", address);
  await start({ byPerson: false });
}

async function start(options) {
  for (const one of document.querySelectorAll("[data-lang]")) one.setAttribute("aria-pressed", String(one.dataset.lang === language()));
  await Promise.all([who().catch((error) => announce(error.message)), draw(options)]);
}

onTokenNeeded(askToken);
for (const one of document.querySelectorAll("[data-lang]")) one.addEventListener("click", () => choose(one.dataset.lang));
window.addEventListener("hashchange", () => draw());
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  content.focus();
});
await speak(language());
await start({ byPerson: false });
