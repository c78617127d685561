// Making elements. Text goes in as text and nowhere else: no function here reads markup.

import { say } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
// What draws nothing or turns the line around: shown by its number, so that it can neither hide nor reorder words.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/u;
const EVERY_UNSEEN = new RegExp(UNSEEN.source, "gu");

function filled(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, heard] of Object.entries(value)) node.addEventListener(event, heard);
    else if (name.startsWith("on")) throw new TypeError(`${name} would be a script`);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** An element: attributes in `props`, listeners under `on`, children as nodes or plain text. */
export function el(name, props = {}, ...children) {
  return filled(document.createElement(name), props, children);
}

export function svg(name, props = {}, ...children) {
  return filled(document.createElementNS(SVG, name), props, children);
}

/** Somebody's words as nodes, with what cannot be seen in them made visible. */
export function plain(text) {
  const nodes = [];
  let at = 0;
  for (const found of text.matchAll(EVERY_UNSEEN)) {
    const code = `U+${found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
    nodes.push(text.slice(at, found.index), el("span", { class: "unseen-mark", title: say("page.control", { code }) }, code));
    at = found.index + found[0].length;
  }
  return [...nodes, text.slice(at)];
}

/** Somebody's words in an element of their own, so that their direction stays in it. */
export function said(text, props = {}, tag = "bdi") {
  return el(tag, { dir: "auto", ...props, class: `said ${props.class ?? ""}` }, plain(text));
}

export function button(label, heard, props = {}) {
  return el("button", { type: "button", ...props, on: { click: heard } }, label);
}

/** Say something to a person who hears the page. */
export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

let counted = 0;
export function freshId(prefix) {
  counted += 1;
  return `${prefix}-${counted}`;
}
