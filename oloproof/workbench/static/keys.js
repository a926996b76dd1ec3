// Keys of the pages. Lists move the focus with j and k; elsewhere a key activates the link or button that carries it.

const SWITCH = "oloproof-keys";
const PLACE = "oloproof-place";
const FIELDS = "input, select, textarea, [contenteditable]";
const SCROLLED = '[tabindex="0"]:not(a), video, audio';
const CONTROLS = "a, button, video, audio, summary";
const bound = new Map();
let pending = "";

// Gives a key something to do on this page. What was bound last is asked first; one that answers false passes it on.
export function bindKey(key, action) {
  bound.set(key, [action, ...(bound.get(key) ?? [])]);
}

export function lettersAreOn() {
  return localStorage.getItem(SWITCH) !== "off";
}

// A slider or a box to tick keeps only the keys that move or tick it, and what scrolls or plays keeps the arrows.
function isTaken(event) {
  if (event.target.closest("dialog[open]") !== null) return true;
  if (event.key.startsWith("Arrow") && event.target.closest(SCROLLED) !== null) return true;
  const field = event.target.closest(FIELDS);
  if (field === null) return false;
  if (field.matches('[type="range"]')) return /^(Arrow|Page|Home|End)/.test(event.key);
  return !(field.matches('[type="checkbox"]') && event.key !== " ");
}

function items() {
  return [...document.querySelectorAll("[data-list] [data-item]")];
}

function current(all) {
  return all.findIndex((item) => item.hasAttribute("aria-current"));
}

function move(step) {
  const all = items();
  if (all.length === 0) return false;
  const focused = all.indexOf(document.activeElement);
  const now = focused < 0 ? current(all) : focused;
  const next = now < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(now + step, 0), all.length - 1);
  all[next].focus();
  all[next].scrollIntoView({ block: "nearest" });
  return true;
}

// Tab goes into a list once and out of it again; the item last looked at is the way in.
export function rove() {
  if (!lettersAreOn()) return;
  const all = items();
  const way = Math.max(current(all), 0);
  all.forEach((item, number) => {
    item.tabIndex = number === way ? 0 : -1;
  });
}

function onFocus(event) {
  if (!lettersAreOn() || !event.target.matches("[data-list] [data-item]")) return;
  for (const item of items()) item.tabIndex = item === event.target ? 0 : -1;
}

// Who comes back to a list goes on from the item that was opened.
function keepPlace(event) {
  const item = event.target.closest("[data-list] [data-item]");
  if (item !== null) sessionStorage.setItem(PLACE, JSON.stringify([location.href, items().indexOf(item)]));
}

function returnToPlace() {
  if (performance.getEntriesByType("navigation")[0]?.type !== "back_forward") return;
  const [address, item] = JSON.parse(sessionStorage.getItem(PLACE) ?? "[]");
  if (address === location.href) items()[item]?.focus({ preventScroll: true });
}

function activate(selector) {
  const found = document.querySelector(selector);
  if (found === null) return false;
  found.click();
  return true;
}

// What the system made, where it made a clip or a sound, and else what it was given.
export function mediumToPlay() {
  return document.querySelector('[data-play][aria-label^="output"]') ?? document.querySelector("[data-play]");
}

function playOrPause() {
  const medium = mediumToPlay();
  if (medium === null) return false;
  if (medium.paused) medium.play();
  else medium.pause();
  return true;
}

function showKeys() {
  const dialog = document.getElementById("keys");
  if (!dialog.open) dialog.showModal();
  return true;
}

function toFilter() {
  const field = document.querySelector("[data-filter]");
  if (field === null) return false;
  field.focus();
  field.select();
  return true;
}

function act(key, target) {
  if (pending === "g") {
    pending = "";
    return activate(`[data-go="${CSS.escape(key)}"]`);
  }
  if (key === "g") {
    pending = "g";
    return true;
  }
  const isPress = key === " " && target.closest(CONTROLS) !== null;
  if (!isPress && (bound.get(key) ?? []).some((action) => action() !== false)) return true;
  if (activate(`[data-key="${CSS.escape(key)}"]`)) return true;
  if (key === "j") return move(1);
  if (key === "k") return move(-1);
  if (key === "[") return activate('.pager [rel="prev"]');
  if (key === "]") return activate('.pager [rel="next"]');
  if (key === "/") return toFilter();
  if (key === "?") return showKeys();
  return key === " " && !isPress && playOrPause();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.key === "Escape" && event.target.matches("[data-filter]")) event.target.blur();
  if (isTaken(event) || !lettersAreOn()) return;
  if (act(event.key, event.target)) event.preventDefault();
}

export function startKeys() {
  document.addEventListener("keydown", onKey);
  document.addEventListener("focusin", onFocus);
  document.addEventListener("click", keepPlace);
  rove();
  returnToPlace();
  const button = document.getElementById("show-keys");
  button.hidden = false;
  button.addEventListener("click", showKeys);
  const on = document.getElementById("keys-on");
  on.checked = lettersAreOn();
  on.addEventListener("change", () => {
    localStorage.setItem(SWITCH, on.checked ? "on" : "off");
    if (on.checked) rove();
    else for (const item of items()) item.removeAttribute("tabindex");
  });
}
