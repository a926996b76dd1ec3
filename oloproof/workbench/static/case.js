// The page of a case: its pictures, clips and sounds, and the keys that reach them.

import { Clip } from "./clips.js";
import { bindKey } from "./keys.js";
import { startPairs } from "./pairs.js";
import { startPhrases } from "./phrases.js";
import { drawAll } from "./player.js";
import { Sound } from "./sounds.js";
import { sizePlate, startZoom, zoomNext } from "./zoom.js";

const zoomed = document.querySelector("[data-zoomed]");
const clips = [...document.querySelectorAll("[data-clip]")].map((root) => new Clip(root));
const sounds = [...document.querySelectorAll("[data-sound]")].map((root) => new Sound(root));
const players = [...clips, ...sounds];
const MODES = ["wipe", "flicker", "difference"];
let last = null;

// The clip or sound that keys reach: the one last used, else that of the output, else the first.
function current(among) {
  if (among.includes(last)) return last;
  return among.find((one) => one.medium.getAttribute("aria-label").startsWith("output")) ?? among[0];
}

function use(player) {
  last = player;
  for (const one of players) one.root.classList.toggle("current", one === current(players) || one === current(clips));
}

function clipOf(button) {
  return clips.find((clip) => clip.root.dataset.id === button.dataset.of);
}

function seek(button) {
  const clip = clipOf(button);
  use(clip);
  clip.seekMarker(button.dataset.seek);
  clip.root.scrollIntoView({ block: "nearest", inline: "center" });
}

function nextFrame() {
  const marked = clips.filter((clip) => clip.moments.length > 0);
  if (marked.length === 0) return false;
  const clip = current(marked);
  use(clip);
  clip.seekMarker(clip.moments[(clip.marker + 1) % clip.moments.length]);
  return true;
}

function step(by) {
  if (clips.length === 0) return false;
  current(clips).step(by);
  return true;
}

// The address keeps how two pictures are compared, and the ways to other cases take it along.
function keepMode(mode) {
  if (mode === "side" && !MODES.includes(location.hash.slice(1))) return;
  const hash = mode === "side" ? "" : `#${mode}`;
  history.replaceState(history.state, "", location.pathname + location.search + hash);
  for (const link of document.querySelectorAll(".way a, .siblings a, .family a")) link.hash = hash;
}

function startPictures() {
  const pair = document.querySelector("[data-pair]");
  for (const picture of document.querySelectorAll("[data-picture] img")) {
    const size = () => sizePlate(picture.parentElement, picture.naturalWidth, picture.naturalHeight);
    if (picture.complete) size();
    picture.addEventListener("load", size);
  }
  if (pair === null) return;
  const asked = location.hash.slice(1);
  if (MODES.includes(asked)) pair.dataset.pair = asked;
  pair.addEventListener("pairmode", ({ detail }) => {
    document.querySelector("[data-panes]").classList.toggle("compared", detail !== "side");
    keepMode(detail);
  });
}

// Says in the strip of what a judge saw which frames they are, once the clip's frames are known.
function numberFrames(clip) {
  for (const button of document.querySelectorAll(".seen [data-seek]")) {
    if (clip.table === null || clipOf(button) !== clip) continue;
    const size = button.closest(".line").querySelector(".score");
    const frame = `frame ${clip.frameAt(Number(button.dataset.seek)) + 1}`;
    size.textContent = [frame, size.textContent].filter(Boolean).join(", ");
  }
}

function startPlayers() {
  for (const player of players) {
    // not when a button is pressed down: hints that come and go would move it away before it is let go
    player.root.addEventListener("click", () => use(player));
    player.root.addEventListener("focusin", ({ target }) => target.matches(":focus-visible") && use(player));
  }
  use(null);
  for (const clip of clips) clip.root.addEventListener("frames", () => numberFrames(clip));
  for (const button of document.querySelectorAll("[data-seek]")) {
    button.hidden = clipOf(button) === undefined;
    button.addEventListener("click", () => seek(button));
  }
}

// In a narrow window the strip scrolls in itself: the member that is shown stands in its middle.
function showMember() {
  const member = document.querySelector(".family [aria-current]")?.parentElement;
  if (!member) return;
  const strip = member.parentElement;
  strip.scrollLeft = member.offsetLeft - (strip.clientWidth - member.clientWidth) / 2;
}

startPictures();
startPlayers();
startPhrases(players, use);
showMember();
startZoom(zoomed);
for (const part of zoomed.querySelectorAll(".zoom-bar")) part.hidden = false;
bindKey("z", () => zoomNext(zoomed));
bindKey("m", nextFrame);
bindKey("s", () => drawAll(players));
bindKey(",", () => step(-1));
bindKey(".", () => step(1));
bindKey(" ", () => {
  if (players.length === 0) return false;
  current(players).toggle();
  return true;
});
startPairs();
