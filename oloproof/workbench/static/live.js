// Numbers of runs under way change in place as the server tells them; quarter steps are spoken. A hidden tab lets go of
// its stream, for a browser opens only a few connections to one server.

import { rove } from "./keys.js";

const QUARTERS = ["has begun", "is a quarter done", "is half done", "is three quarters done", "has done all its trials"];
const SURE_AFTER = 5000;
const began = new Map();
let stream = null;

function say(words) {
  document.getElementById("said").textContent = words;
}

function partOf(run) {
  return document.querySelector(`[data-progress="${CSS.escape(run)}"]`);
}

function quarterOf(done, total) {
  return total > 0 ? Math.min(Math.floor((4 * done) / total), 4) : 0;
}

function left(told) {
  const now = performance.now();
  const first = began.get(told.run) ?? { at: now, done: told.done };
  began.set(told.run, first);
  const done = told.done - first.done;
  if (now - first.at < SURE_AFTER || done <= 0 || told.done >= told.total) return "";
  const seconds = ((told.total - told.done) * (now - first.at)) / done / 1000;
  return seconds < 90 ? `, about ${Math.ceil(seconds / 10) * 10} s left` : `, about ${Math.round(seconds / 60)} min left`;
}

function onProgress(told) {
  const part = partOf(told.run);
  if (part === null) return;
  const bar = part.querySelector("progress");
  const before = quarterOf(bar.value, bar.max);
  const now = quarterOf(told.done, told.total);
  bar.max = told.total || 1;
  bar.value = told.done;
  part.querySelector("[data-words]").textContent = told.words;
  part.querySelector("[data-left]").textContent = left(told);
  for (const [mark, count] of Object.entries(told.tally)) {
    part.querySelector(`[data-tally="${mark}"]`).textContent = count;
  }
  if (now > before) say(`${told.version} ${QUARTERS[now]}: ${told.words}`);
}

function onBegan(told) {
  const note = document.querySelector("[data-began]");
  if (note === null || partOf(told.run) !== null) return;
  note.hidden = false;
  say(`${told.version} has begun`);
}

// On a page of its own the run offers what was decided; in the list its row is replaced by the decided one.
async function onEnded(told) {
  const offer = document.querySelector("[data-ended]");
  const row = document.querySelector(`tr[data-run="${CSS.escape(told.run)}"]`);
  if (offer !== null) {
    stop();
    offer.hidden = false;
    say("The run has ended");
  } else if (row !== null) {
    const focused = row.contains(document.activeElement);
    const answer = await fetch(window.location.href, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector(`tr[data-run="${CSS.escape(told.run)}"]`);
    if (fresh === null) return;
    row.replaceWith(fresh);
    rove();
    if (focused) fresh.querySelector("[data-item]").focus();
    say(fresh.querySelector(".named").textContent.trim().replace(/\s+/g, " "));
  }
}

function stop() {
  if (stream !== null) stream.close();
  stream = null;
}

function start(address) {
  if (stream !== null || document.hidden) return;
  stream = new EventSource(address);
  for (const [name, act] of Object.entries({ progress: onProgress, began: onBegan, ended: onEnded })) {
    stream.addEventListener(name, (event) => act(JSON.parse(event.data)));
  }
}

export function startLive() {
  const watched = document.querySelector("[data-events]");
  if (watched === null) return;
  const follow = () => {
    const ended = document.querySelector("[data-ended]:not([hidden])") !== null;
    if (document.hidden || ended) stop();
    else start(watched.dataset.events);
  };
  document.addEventListener("visibilitychange", follow);
  window.addEventListener("pagehide", stop);
  window.addEventListener("pageshow", follow);
  follow();
}
