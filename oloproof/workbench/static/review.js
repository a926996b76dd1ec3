// The review queue: one key labels and goes on. An answer is kept before the next case shows; if that fails, it stays.

import { lettersAreOn, mediumToPlay } from "./keys.js";
import { sizePlate, startZoom, zoomNext } from "./zoom.js";

const WORDS = { KeyP: "pass", Digit1: "pass", KeyF: "fail", Digit2: "fail", KeyU: "unsure", Digit3: "unsure" };
const PACE = "oloproof-pace";
const PLAYS = "oloproof-plays";
const MOST_PACES = 20;

let since = performance.now();
let note = null;
let busy = false;
let noteKept = Promise.resolve(); // a note leaves its case where it is, so that an answer or a step can wait for it

const part = () => document.getElementById("review");
const find = (selector) => part()?.querySelector(selector) ?? null;
const draft = () => `oloproof-note ${part().dataset.here}`; // a note is kept with its answer and waits there for one

function remembered(storage, key, otherwise) {
  try {
    return storage.getItem(key) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function remember(storage, key, value) {
  try {
    storage.setItem(key, value);
  } catch {
    // it is a convenience only
  }
}

async function ask(address, how) {
  return fetch(address, how).catch(() => {
    throw new Error("the workbench does not answer; it may have been stopped");
  });
}

async function send(address, body) {
  const token = document.querySelector('meta[name="oloproof-token"]');
  const answer = await ask(address, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json", "X-Oloproof-Token": token?.content ?? "" },
    body: JSON.stringify(body),
  });
  if (answer.ok) return answer.json();
  const told = await answer.json().catch(() => ({}));
  throw new Error(told.message ?? `the workbench answered ${answer.status}`);
}

function tell(where, words) {
  where.textContent = words;
  where.hidden = words === "";
}

// The pace of the last labels, and how long the rest takes at it.
function showPace() {
  const place = find("[data-pace]");
  const paces = JSON.parse(remembered(sessionStorage, PACE, "[]"));
  if (place === null || paces.length < 3) return;
  const pace = [...paces].sort((a, b) => a - b)[Math.floor(paces.length / 2)];
  const left = Math.round((pace * Number(part().dataset.left)) / 1000);
  const words = left < 60 ? `${left} s` : `${Math.floor(left / 60)} min ${left % 60} s`;
  place.textContent = `${(pace / 1000).toFixed(1)} s a label, about ${words} left`;
}

function keepPace() {
  const paces = JSON.parse(remembered(sessionStorage, PACE, "[]"));
  paces.push(Math.round(performance.now() - since));
  remember(sessionStorage, PACE, JSON.stringify(paces.slice(-MOST_PACES)));
}

function preload() {
  for (const address of JSON.parse(part().dataset.preload ?? "[]")) new Image().src = address;
}

function playIfAsked() {
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const medium = mediumToPlay();
  if (medium !== null && !still && remembered(sessionStorage, PLAYS, "") === "yes") medium.play().catch(() => {});
}

// Pictures take the room that the window leaves between the question and the answers.
function sizePictures() {
  const stage = find("[data-zoomed]");
  if (stage === null) return;
  for (const picture of stage.querySelectorAll("[data-plate] img")) {
    const view = picture.closest("[data-view]");
    view.style.setProperty("--most-high", `${view.clientHeight}px`);
    const size = () => sizePlate(picture.parentElement, picture.naturalWidth, picture.naturalHeight);
    if (picture.complete) size();
    picture.addEventListener("load", size, { once: true });
  }
}

function zoom() {
  const stage = find("[data-zoomed]");
  if (stage === null || find("[data-zoom]") === null) return;
  zoomNext(stage);
  find("[data-zoom] [data-zoom-words]").textContent = { fit: "Fit", 1: "100 %", 4: "400 %" }[stage.dataset.zoomed];
}

// What needs this script can be pressed only when it is there: a form sent without it would carry no token.
function allow(within) {
  for (const button of within.querySelectorAll("[data-allowed]")) button.disabled = false;
}

// A claim that scrolls is a stop of the Tab key, as everything that scrolls has to be; another one is not.
function letScroll() {
  const claim = document.getElementById("claim");
  claim.tabIndex = claim.scrollHeight > claim.clientHeight ? 0 : -1;
}

function arrive() {
  allow(part());
  letScroll();
  since = performance.now();
  note = remembered(sessionStorage, draft(), "") || null;
  if (note !== null) showNote();
  sizePictures();
  if (find("[data-zoomed]") !== null) startZoom(find("[data-zoomed]"));
  showPace();
  preload();
  playIfAsked();
}

// Replace what is shown by another address of the queue.
async function show(address, push) {
  const answer = await ask(address, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("review");
  if (!answer.ok || fresh === null) {
    window.location.assign(address);
    return;
  }
  part().replaceWith(fresh);
  document.title = page.title;
  if (push) history.pushState({ review: true }, "", fresh.dataset.here ?? address);
  document.getElementById("claim")?.focus();
  if (fresh.dataset.answerWith !== undefined) arrive();
}

async function label(word, onward) {
  await noteKept;
  if (busy || part()?.dataset.answerWith === undefined) return;
  const problem = find("[data-problem]");
  let saved = false;
  busy = true;
  tell(problem, "");
  try {
    await send("/labels", { ...JSON.parse(part().dataset.answerWith), passed: word, ...(note === null ? {} : { note }) });
    saved = true;
    remember(sessionStorage, draft(), "");
    if (onward) {
      keepPace();
      await show(part().dataset.onward, true);
    }
  } catch (error) {
    tell(problem, saved ? `Saved, but the next case cannot be shown: ${error.message}` : `Not saved: ${error.message}`);
  } finally {
    busy = false;
  }
}

async function step(link) {
  await noteKept;
  if (link === null || busy) return;
  busy = true;
  await show(link.getAttribute("href"), true)
    .catch((error) => tell(find("[data-problem]"), `It cannot be shown: ${error.message}`))
    .finally(() => (busy = false));
}

function openNote() {
  const form = find(".note");
  if (form === null || find("[data-note]").disabled) return;
  form.hidden = false;
  find("[data-note]").setAttribute("aria-expanded", "true");
  form.querySelector("input").select();
}

function showNote() {
  const kept = find("[data-kept-note]");
  kept.querySelector("span").textContent = note;
  kept.hidden = note === "";
  find(".note input").value = note;
}

function closeNote(keep) {
  const form = find(".note");
  const field = form.querySelector("input");
  if (keep) {
    note = field.value.trim();
    showNote();
    const given = find('[aria-pressed="true"]');
    if (given !== null) noteKept = label(given.dataset.answer, false);
    else remember(sessionStorage, draft(), note);
  } else {
    field.value = note ?? field.defaultValue;
  }
  form.hidden = true;
  find("[data-note]").setAttribute("aria-expanded", "false");
  document.getElementById("claim").focus();
}

function toggleRubric() {
  const button = find("[data-rubric]");
  if (button === null) return;
  const rubric = document.getElementById("rubric");
  rubric.hidden = !rubric.hidden;
  button.setAttribute("aria-expanded", String(!rubric.hidden));
}

const ACTS = { KeyB: () => step(find('[data-step="back"]')), KeyN: openNote, KeyR: toggleRubric, KeyZ: zoom };

// Letters go by their place on the keyboard, so that every layout has them.
function actOn(event) {
  const word = WORDS[event.code];
  const act = event.key === "Z" ? ACTS.KeyB : event.shiftKey ? undefined : ACTS[event.code];
  const skip = find('[data-step="skip"]');
  if (word !== undefined && !event.shiftKey) {
    if (find(`[data-answer="${word}"]:enabled`) !== null) label(word, true);
  } else if (act !== undefined) {
    act();
  } else if (event.key === "Enter" && skip !== null && !event.target.closest("a, button, summary")) {
    step(skip);
  } else {
    if (event.key === " ") remember(sessionStorage, PLAYS, "yes");
    return false;
  }
  return true;
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || part()?.dataset.answerWith === undefined) return;
  if (event.key === "Escape" && event.target.closest(".note")) closeNote(false);
  if (event.target.closest("input, select, textarea, dialog[open]") || !lettersAreOn()) return;
  if (actOn(event)) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}

function onClick(event) {
  const answer = event.target.closest("[data-answer]");
  const way = event.target.closest("[data-step]");
  if (answer !== null) label(answer.dataset.answer, true);
  else if (event.target.closest("[data-note]")) openNote();
  else if (event.target.closest("[data-rubric]")) toggleRubric();
  else if (event.target.closest("[data-zoom]")) zoom();
  else if (way !== null && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    step(way);
  }
}

async function drawSample(form) {
  const problem = form.querySelector("[data-problem]");
  try {
    await send(form.action, { run: form.dataset.run, size: Number(new FormData(form).get("size")) });
    window.location.reload();
  } catch (error) {
    tell(problem, error.message);
  }
}

function onSubmit(event) {
  if (event.target.matches("[data-sample]")) {
    event.preventDefault();
    drawSample(event.target);
  } else if (event.target.matches(".note")) {
    event.preventDefault();
    closeNote(true);
  }
}

for (const form of document.querySelectorAll("[data-sample]")) allow(form);
for (const field of document.querySelectorAll("[data-remember]")) {
  if (field.value === "") field.value = remembered(localStorage, `oloproof-${field.dataset.remember}`, "");
  field.form.addEventListener("submit", () => remember(localStorage, `oloproof-${field.dataset.remember}`, field.value));
}
document.addEventListener("keydown", onKey, true);
document.addEventListener("click", onClick);
document.addEventListener("submit", onSubmit);
window.addEventListener("resize", sizePictures);
window.addEventListener("popstate", () => show(window.location.href, false));
if (part()?.dataset.answerWith !== undefined) {
  history.replaceState({ review: true }, "", part().dataset.here);
  arrive();
}
