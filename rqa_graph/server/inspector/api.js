// Asking the server. A token lives in this module and is gone with the page; it is in no storage and in no address.

import { language, say } from "./words.js";

let token = "";
let askToken = null;
let asking = null;

/** Who is asked for a token where the server wants one: a function that returns a promise of it. */
export function onTokenNeeded(ask) {
  askToken = ask;
}

export class Refused extends Error {
  constructor(status, message, code) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** A token that a person gives: asked for once, however many requests wait for it. */
async function newToken(refused) {
  if (token !== refused) return;
  asking ??= askToken(Boolean(refused)).finally(() => {
    asking = null;
  });
  token = await asking;
}

async function request(path, options = {}) {
  const headers = { "accept-language": language(), ...options.headers };
  const sentToken = token;
  if (sentToken) headers.authorization = `Bearer ${sentToken}`;
  if (sentToken && askToken && !/^[\x21-\x7e]+$/.test(sentToken)) {
    await newToken(sentToken); // no header carries such letters, so that no server knows it
    return request(path, options);
  }
  let answer;
  try {
    answer = await fetch(path, { ...options, headers, credentials: "omit" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, say("page.unreachable"), "unreachable");
  }
  if (answer.status === 401 && askToken) {
    await newToken(sentToken);
    return request(path, options);
  }
  if (!answer.ok) throw await refusal(answer);
  return answer;
}

async function refusal(answer) {
  const body = await answer.json().catch(() => ({}));
  const message = body.error?.message ?? `${answer.status}`;
  return new Refused(answer.status, message, body.error?.code ?? "");
}

export async function get(path, query = {}) {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).filter((one) => one !== undefined && one !== "").map((one) => [name, one]),
  );
  const asked = new URLSearchParams(pairs).toString();
  return (await request(asked ? `${path}?${asked}` : path)).json();
}

export async function getText(path) {
  return (await request(path)).text();
}

function sent(body, signal) {
  return { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" }, signal };
}

export async function post(path, body) {
  return (await request(path, sent(body))).json();
}

/** One turn as a stream: `onWords` gets each piece, "" while the assistant thinks. Returns the turn's `rqa` object. */
export async function converse(message, name, { onWords, signal }) {
  const body = { messages: [{ role: "user", content: message }], stream: true };
  const options = sent(body, signal);
  options.headers["x-rqa-thread"] = name;
  const answer = await request("/v1/chat/completions", options);
  let turn = null;
  for await (const line of lines(answer.body)) {
    if (line.startsWith(":")) onWords("");
    if (!line.startsWith("data: ")) continue;
    if (line === "data: [DONE]") return turn;
    const event = JSON.parse(line.slice("data: ".length));
    if (event.error) throw new Refused(0, event.error.message, event.error.code);
    turn = event.rqa ?? turn;
    for (const choice of event.choices) if (choice.delta.content) onWords(choice.delta.content);
  }
  throw new Refused(0, say("page.unreachable"), "cut_off");
}

async function* lines(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    yield* parts;
  }
}
