// What the page says, in the language that a person chose. The words come from the server, by key.

const known = new Map();
let words = {};

export function language() {
  return document.documentElement.lang;
}

/** The words of a key, with `values` put in; the key itself where there are none. */
export function say(key, values = {}) {
  const text = words[key];
  if (text === undefined) return key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Words for a name that the server gives, such as a kind; the name itself if it has none. */
export function named(group, name) {
  return words[`${group}.${name}`] ?? name;
}

/** Load a language and say everything on the page in it. */
export async function speak(lang) {
  if (!known.has(lang)) {
    const answer = await fetch(`/inspect/words?lang=${lang}`);
    if (!answer.ok) throw new Error(`${answer.status}`);
    known.set(lang, await answer.json());
  }
  words = known.get(lang);
  document.documentElement.lang = lang;
  document.title = say("page.title");
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = say(node.dataset.text);
  for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", say(node.dataset.label));
}

/** A time as people of the chosen language write it. */
export function time(iso, options = { dateStyle: "medium", timeStyle: "short" }) {
  const moment = new Date(iso);
  return Number.isNaN(moment.getTime()) ? iso : new Intl.DateTimeFormat(language(), options).format(moment);
}

export function number(value, digits = 0) {
  return new Intl.NumberFormat(language(), { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
}
