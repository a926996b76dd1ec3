// Two pictures held against each other: side by side, wiped, in turns, or where they differ. See pair.html.j2.
// A page calls startPairs() once; every [data-pair] in it works on its own, keys reach the one last used.

import { drawDifference } from "./difference.js";
import { bindKey } from "./keys.js";
import { sizePlate, startZoom, stayInPlace, zoomNext } from "./zoom.js";

const TURN = 500; // ms: two changes a second, one whole flicker
const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
const number = new Intl.NumberFormat("en");

let last = null;

class Pair {
  constructor(root) {
    this.root = root;
    this.mode = "side";
    this.shown = "first";
    this.timer = null;
    this.asked = 0;
    this.sizes = null;
    root.querySelector('[data-layer="first"]').after(secondLayer());
    this.layers = Object.fromEntries([...root.querySelectorAll("[data-layer]")].map((one) => [one.dataset.layer, one]));
    this.names = Object.fromEntries([...root.querySelectorAll("[data-name]")].map((one) => [one.dataset.name, one]));
    this.sides = Object.fromEntries([...root.querySelectorAll("[data-side]")].map((one) => [one.dataset.side, one]));
    this.stage = root.querySelector("[data-stage]");
    this.view = root.querySelector("[data-view]");
    this.plate = root.querySelector("[data-plate]");
    this.beside = root.querySelector("[data-beside]");
    this.line = root.querySelector("[data-line]");
    this.slider = root.querySelector("input.wipe");
    this.words = root.querySelector("[data-words]");
    this.scaling = root.querySelector("[data-scaling] input");
    this.tolerance = root.querySelector("[data-tolerance] select");
    this.listen();
  }

  listen() {
    this.root.hidden = false;
    for (const one of this.root.querySelectorAll("[data-script-only]")) one.hidden = false;
    for (const button of this.buttons()) {
      const { mode } = button.dataset;
      button.addEventListener("click", () => (mode === "flicker" ? this.flicker() : this.choose(mode)));
    }
    for (const side of Object.values(this.sides)) side.addEventListener("change", () => this.load());
    this.scaling.addEventListener("change", () => this.load());
    this.tolerance.addEventListener("change", () => this.draw());
    this.slider.addEventListener("input", () => this.wipe());
    this.view.addEventListener("scroll", () => this.wipe());
    for (const part of [this.view, this.line]) part.addEventListener("pointerdown", (event) => this.grab(event));
    new ResizeObserver(() => this.wipe()).observe(this.plate);
    for (const kind of ["pointerdown", "focusin"]) this.root.addEventListener(kind, () => (last = this));
    if (this.root.hasAttribute("data-zoomed")) startZoom(this.root);
  }

  buttons() {
    return this.root.querySelectorAll("button[data-mode]");
  }

  // Takes a mode; the one that is shown already gives way to side by side.
  choose(mode) {
    last = this;
    this.show(mode === this.mode ? "side" : mode);
    if (this.mode === "wipe") this.slider.focus({ preventScroll: true });
  }

  show(mode) {
    this.mode = mode;
    this.stopTurns();
    this.root.dataset.pair = mode;
    for (const button of this.buttons()) button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
    this.stage.hidden = mode === "side" && this.root.hasAttribute("data-panes-beside");
    this.beside.hidden = mode !== "side";
    this.layers.second.hidden = mode === "side" || mode === "difference";
    this.layers.first.hidden = mode === "difference";
    this.layers.difference.hidden = mode !== "difference";
    this.line.hidden = this.slider.hidden = mode !== "wipe";
    this.tolerance.parentElement.hidden = mode !== "difference";
    this.root.dispatchEvent(new CustomEvent("pairmode", { bubbles: true, detail: mode }));
    if (this.stage.hidden) stayInPlace(this.root.closest("[data-zoomed]"));
    else this.load();
  }

  async load() {
    const asked = (this.asked += 1);
    this.words.textContent = "";
    this.sizes = null;
    for (const [side, select] of Object.entries(this.sides)) {
      const option = select.selectedOptions[0];
      this.names[side].textContent = option.textContent;
      for (const layer of side === "first" ? ["first"] : ["second", "beside"]) this.place(this.layers[layer], option);
    }
    try {
      await Promise.all([this.layers.first.decode(), this.layers.second.decode()]);
    } catch {
      if (asked === this.asked) this.words.textContent = "One of the two cannot be shown, so they cannot be compared.";
      return;
    }
    if (asked === this.asked) this.align();
  }

  place(layer, option) {
    layer.loading = "eager";
    if (layer.getAttribute("src") !== option.value) layer.src = option.value;
    layer.alt = option.textContent;
    layer.classList.toggle("alpha", "alpha" in option.dataset);
  }

  align() {
    const { first, second } = this.layers;
    const own = {
      first: { width: first.naturalWidth, height: first.naturalHeight },
      second: { width: second.naturalWidth, height: second.naturalHeight },
    };
    const differ = own.first.width !== own.second.width || own.first.height !== own.second.height;
    const scaled = differ && this.scaling.checked && own.first.width !== own.second.width;
    this.scaling.parentElement.hidden = !differ || own.first.width === own.second.width;
    const width = Math.max(own.first.width, own.second.width);
    this.sizes = scaled ? { first: atWidth(own.first, width), second: atWidth(own.second, width) } : own;
    this.layOut();
    this.say(differ ? this.sizeWords(own, scaled) : "");
    if (this.mode === "difference") this.draw();
    else if (this.mode === "flicker") this.startTurns();
    else if (this.mode === "wipe") this.wipe();
    else this.free();
  }

  layOut() {
    const { first, second } = this.sizes;
    const plate = { width: Math.max(first.width, second.width), height: Math.max(first.height, second.height) };
    sizePlate(this.plate, plate.width, plate.height);
    sizePlate(this.layers.beside.closest("[data-plate]"), plate.width, plate.height);
    for (const [name, size] of [["first", first], ["second", second], ["beside", second]]) {
      this.layers[name].style.width = `${(100 * size.width) / plate.width}%`;
      this.layers[name].style.height = `${(100 * size.height) / plate.height}%`;
    }
    stayInPlace(this.root.closest("[data-zoomed]"));
  }

  sizeWords(own, scaled) {
    const [one, two] = [this.names.first.textContent, this.names.second.textContent];
    const sizes = `${one} has ${sizeOf(own.first)} pixels, ${two} ${sizeOf(own.second)}. `;
    if (!scaled) return `${sizes}They lie pixel on pixel from the top left corner; nothing is stretched.`;
    const small = own.first.width < own.second.width ? "first" : "second";
    const enlarged = `${this.names[small].textContent} is enlarged to ${sizeOf(this.sizes[small])}`;
    return `${sizes}${enlarged}, which changes its pixels; its shape stays.`;
  }

  say(words) {
    this.aligned = words;
    this.words.textContent = words;
  }

  free() {
    for (const layer of [this.layers.first, this.layers.second]) {
      layer.style.clipPath = "none";
      layer.style.visibility = "visible";
    }
  }

  // Puts the line where the slider says, as a share of that part of the picture which is in sight.
  wipe() {
    if (this.mode !== "wipe" || this.sizes === null) return;
    const [left, right] = this.sight();
    const share = this.slider.valueAsNumber / 100;
    const plate = this.plate.getBoundingClientRect();
    const frame = this.line.parentElement.getBoundingClientRect();
    const at = left + share * (right - left);
    this.free();
    this.line.style.left = `${at - frame.left}px`;
    this.slider.style.marginLeft = `${left - frame.left - 8}px`;
    this.slider.style.width = `${right - left + 16}px`;
    for (const name of ["first", "second"]) {
      const width = (plate.width * this.sizes[name].width) / Math.max(this.sizes.first.width, this.sizes.second.width);
      const cut = Math.min(Math.max(at - plate.left, 0), width);
      this.layers[name].style.clipPath = name === "first" ? `inset(0 ${width - cut}px 0 0)` : `inset(0 0 0 ${cut}px)`;
    }
    const [one, two] = [this.names.first.textContent, this.names.second.textContent];
    this.slider.ariaValueText = `${one} on ${Math.round(100 * share)} %, ${two} on ${Math.round(100 - 100 * share)} %`;
  }

  sight() {
    const [plate, view] = [this.plate.getBoundingClientRect(), this.view.getBoundingClientRect()];
    return [Math.max(plate.left, view.left), Math.min(plate.right, view.left + this.view.clientWidth)];
  }

  // The line is taken anywhere on the picture, or by its grip where the picture itself can be moved.
  grab(event) {
    const onLine = event.currentTarget === this.line;
    const canPan = this.view.scrollWidth > this.view.clientWidth || this.view.scrollHeight > this.view.clientHeight;
    if (this.mode !== "wipe" || event.button !== 0 || (canPan && !onLine)) return;
    event.preventDefault();
    this.slider.focus({ preventScroll: true });
    const target = event.currentTarget;
    target.setPointerCapture(event.pointerId);
    const drag = (moved) => {
      const [left, right] = this.sight();
      this.slider.value = (100 * (moved.clientX - left)) / (right - left);
      this.wipe();
    };
    drag(event);
    target.addEventListener("pointermove", drag);
    target.addEventListener("lostpointercapture", () => target.removeEventListener("pointermove", drag), { once: true });
  }

  async draw() {
    if (this.sizes === null) return;
    const asked = this.asked;
    const tolerance = Number(this.tolerance.value);
    const isWanted = () => asked === this.asked && this.mode === "difference" && tolerance === Number(this.tolerance.value);
    const { first, second, difference } = this.layers;
    this.words.textContent = `${this.aligned} Comparing…`;
    try {
      const found = await drawDifference(difference, first, second, this.sizes, tolerance, isWanted);
      if (found !== null && isWanted()) this.words.textContent = `${differenceWords(found, tolerance)} ${this.aligned}`;
    } catch {
      this.words.textContent = "They are too large to be compared pixel by pixel in this browser.";
    }
  }

  startTurns() {
    this.free();
    this.turn("first");
    if (calm.matches) this.words.textContent = `${this.aligned} Space shows the other one.`;
    else this.timer = setInterval(() => this.turn(), TURN);
  }

  stopTurns() {
    clearInterval(this.timer);
    this.timer = null;
    this.free();
    for (const name of Object.values(this.names)) name.classList.remove("now");
  }

  turn(to = this.shown === "first" ? "second" : "first") {
    this.shown = to;
    for (const name of ["first", "second"]) {
      this.layers[name].style.visibility = name === to ? "visible" : "hidden";
      this.names[name].classList.toggle("now", name === to);
    }
  }

  // Space, or the button: begins, then by hand where movement is unwelcome, else stops and goes on.
  flicker() {
    if (this.mode !== "flicker") this.choose("flicker");
    else if (this.timer !== null) {
      clearInterval(this.timer);
      this.timer = null;
      this.words.textContent = `${this.aligned} ${this.names[this.shown].textContent} is shown.`;
    } else if (calm.matches) {
      this.turn();
      this.words.textContent = `${this.aligned} ${this.names[this.shown].textContent} is shown.`;
    } else {
      this.words.textContent = this.aligned;
      this.timer = setInterval(() => this.turn(), TURN);
    }
  }
}

// The one that is laid over the first.
function secondLayer() {
  const layer = new Image();
  layer.dataset.layer = "second";
  layer.draggable = false;
  return layer;
}

function sizeOf(size) {
  return `${size.width} × ${size.height}`;
}

function atWidth(size, width) {
  return { width, height: Math.max(1, Math.round((size.height * width) / size.width)) };
}

function differenceWords(found, tolerance) {
  if (found.differing === 0) return `No pixel of ${number.format(found.common)} differs.`;
  const share = (100 * found.differing) / found.common;
  const percent = share < 0.1 ? "less than 0.1" : share.toFixed(1);
  const all = `${number.format(found.differing)} of ${number.format(found.common)} pixels differ (${percent} %)`;
  const beyond = tolerance ? `; ${number.format(found.beyond)} by more than ${tolerance}` : "";
  return `${all}, by ${found.most} of 255 at most${beyond}. They are coloured, the darker the more.`;
}

// Makes every pair of the page work and returns how to reach them by key.
export function startPairs() {
  const pairs = [...document.querySelectorAll("[data-pair]")].map((root) => {
    const pair = new Pair(root);
    pair.show(root.dataset.pair);
    return pair;
  });
  if (pairs.length === 0) return;
  const current = () => (last !== null && last.root.isConnected ? last : pairs[0]);
  bindKey("w", () => current().choose("wipe"));
  bindKey("d", () => current().choose("difference"));
  bindKey("z", () => zoomNext(current().root.closest("[data-zoomed]")));
  bindKey(" ", () => {
    if (current().mode === "side" && document.querySelector("[data-play]") !== null) return false;
    current().flicker();
    return true;
  });
  bindKey("Escape", () => {
    if (current().mode === "side") return false;
    current().show("side");
    return true;
  });
}
