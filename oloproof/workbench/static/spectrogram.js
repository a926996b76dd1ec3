// A sound over time and frequency: fetched when it is first asked for, with axes in Hz and seconds.

const SVG = "http://www.w3.org/2000/svg";
const HERTZ_STEP = { 4000: 1000, 8000: 2000, 16000: 4000, 24000: 6000 };

function tickStep(length, most) {
  const rough = length / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((times) => times * power >= rough);
}

function text(words, places) {
  const element = document.createElementNS(SVG, "text");
  for (const [name, value] of Object.entries(places)) element.setAttribute(name, value);
  element.textContent = words;
  return element;
}

export class Spectrogram {
  constructor(root, player) {
    this.root = root;
    this.player = player;
    this.part = root.querySelector("[data-spectrogram-part]");
    this.button = root.querySelector("[data-draw]");
    this.drawn = this.part.querySelector("[data-seekable]");
    this.image = new Image();
    this.image.draggable = false;
    this.drawn.prepend(this.image);
    this.cursor = this.drawn.querySelector("[data-cursor]");
    this.top = this.part.querySelector("[data-top]");
    this.about = this.part.querySelector("[data-about]");
    this.button.addEventListener("click", () => this.show(this.part.hidden));
    this.top.addEventListener("change", () => this.load());
    this.image.addEventListener("load", () => this.explain());
  }

  get isShown() {
    return !this.part.hidden;
  }

  show(wanted) {
    this.part.hidden = !wanted;
    this.root.classList.toggle("drawn-below", wanted);
    this.button.setAttribute("aria-pressed", String(wanted));
    if (wanted) this.load();
  }

  // Asked for by fetch, so that what cannot be drawn is told in the server's own words.
  async load() {
    const top = this.top.value;
    this.about.textContent = "Drawing…";
    const answer = await fetch(this.root.dataset.spectrogram + top).catch(() => null);
    if (top !== this.top.value) return;
    if (answer === null || !answer.ok) {
      this.image.hidden = this.cursor.hidden = true;
      this.about.textContent = answer === null ? "The workbench does not answer." : (await answer.json()).message;
      return;
    }
    await answer.blob();
    this.image.hidden = this.cursor.hidden = false;
    this.image.src = this.root.dataset.spectrogram + top; // from the browser's cache
    this.explain();
  }

  get seconds() {
    return Math.min(this.player.duration, Number(this.part.dataset.most));
  }

  explain() {
    const top = Number(this.top.value);
    this.drawn.dataset.seconds = this.seconds;
    this.image.alt = `Spectrogram of ${this.drawn.dataset.name}: 0 to ${top} Hz, 0 to ${this.seconds.toFixed(1)} s`;
    const part = this.seconds < this.player.duration ? `The first ${this.seconds / 60} minutes. ` : "";
    this.about.textContent = `${part}Hz over seconds; brighter is louder, black is 90 dB below full scale or quieter.`;
    this.drawHertz(top);
    this.drawSeconds();
    this.told(this.player.time);
  }

  drawHertz(top) {
    const ticks = [];
    for (let hertz = 0; hertz <= top; hertz += HERTZ_STEP[top] ?? top / 4) {
      const y = `${100 - (100 * hertz) / top}%`;
      const shift = hertz === 0 ? "0" : hertz === top ? "0.75em" : "0.35em";
      ticks.push(text(String(hertz), { x: "100%", y, dy: shift, "text-anchor": "end" }));
    }
    this.part.querySelector(".hertz").replaceChildren(...ticks);
  }

  drawSeconds() {
    const step = tickStep(Math.max(this.seconds, 0.001), 8);
    const digits = Math.max(0, -Math.floor(Math.log10(step)));
    const ticks = [];
    for (let number = 0; number * step <= this.seconds * 1.0001; number += 1) {
      const share = (number * step) / this.seconds;
      const anchor = share < 0.02 ? "start" : share > 0.98 ? "end" : "middle";
      ticks.push(text((number * step).toFixed(digits), { x: `${100 * share}%`, y: "12", "text-anchor": anchor }));
    }
    this.part.querySelector(".seconds").replaceChildren(...ticks);
  }

  told(time) {
    if (this.part.hidden || !this.seconds) return;
    this.cursor.hidden = time > this.seconds;
    this.cursor.style.left = `${(100 * time) / this.seconds}%`;
  }
}
