// The bar under a clip or a sound: play, the time to the millisecond, seeking, speed, and the spectrogram on demand.

import { Spectrogram } from "./spectrogram.js";

function inSeconds(time) {
  return `${Math.max(time, 0).toFixed(3)} s`;
}

// Draws all sounds over time and frequency, or hides them where one is drawn.
export function drawAll(players) {
  const drawn = players.map((player) => player.spectrogram).filter((one) => one !== null);
  if (drawn.length === 0) return false;
  const wanted = !drawn.some((one) => one.isShown);
  for (const one of drawn) one.show(wanted);
  return true;
}

export class Player {
  constructor(root) {
    this.root = root;
    this.medium = root.querySelector("[data-play]");
    this.track = root.querySelector("[data-track]");
    this.now = root.querySelector("[data-now]");
    this.ofAll = root.querySelector("[data-of-all]");
    this.toggleWords = root.querySelector("[data-toggle-words]");
    this.spectrogram = root.querySelector("[data-draw]") === null ? null : new Spectrogram(root, this); // not of silence
    this.medium.controls = false;
    for (const part of root.querySelectorAll("[data-script-only]")) part.hidden = false;
    this.listen();
    this.told();
  }

  listen() {
    for (const kind of ["play", "pause", "ended"]) this.medium.addEventListener(kind, () => this.run());
    for (const kind of ["loadedmetadata", "durationchange", "timeupdate", "seeked"]) {
      this.medium.addEventListener(kind, () => this.told());
    }
    this.track.addEventListener("input", () => this.seekTo(this.track.valueAsNumber));
    this.root.querySelector("[data-toggle]").addEventListener("click", () => this.toggle());
    const speed = this.root.querySelector("[data-speed]");
    speed.addEventListener("change", () => (this.medium.playbackRate = Number(speed.value)));
    for (const button of this.root.querySelectorAll("[data-step], [data-marker] button")) {
      button.addEventListener("click", (event) => this.leave(event));
    }
    for (const area of this.root.querySelectorAll("[data-seekable]")) {
      area.addEventListener("pointerdown", (event) => this.seekAlong(area, event));
    }
  }

  // After a click of the mouse, Space plays and the arrow keys seek.
  leave(event) {
    if (event.detail > 0) this.track.focus({ preventScroll: true });
  }

  get duration() {
    return Number.isFinite(this.medium.duration) ? this.medium.duration : 0;
  }

  get time() {
    return this.medium.currentTime;
  }

  get isPlaying() {
    return !this.medium.paused;
  }

  toggle() {
    if (this.medium.paused) this.medium.play().catch(() => {}); // what it cannot play is told where it stands
    else this.medium.pause();
  }

  pause() {
    this.medium.pause();
  }

  // `time` is on the player's own clock, in seconds.
  seekTo(time) {
    this.medium.currentTime = Math.min(Math.max(time, 0), this.duration);
    this.told();
  }

  seekAlong(area, event) {
    if (event.button !== 0) return;
    event.preventDefault();
    const most = Number(area.dataset.seconds) || this.duration;
    const follow = ({ clientX }) => {
      const { left, width } = area.getBoundingClientRect();
      this.seekTo((most * (clientX - left)) / width);
    };
    area.setPointerCapture(event.pointerId);
    area.addEventListener("pointermove", follow);
    area.addEventListener("lostpointercapture", () => area.removeEventListener("pointermove", follow), { once: true });
    follow(event);
  }

  // Follows what plays, a picture of the screen at a time, until it stops.
  run() {
    this.toggleWords.textContent = this.medium.paused ? "Play" : "Pause";
    const step = () => {
      this.told();
      if (!this.medium.paused) requestAnimationFrame(step);
    };
    step();
  }

  // Says where it stands: in words, on the track, in the wave and in the spectrogram.
  told() {
    this.track.max = this.duration;
    this.track.value = this.time;
    this.now.textContent = inSeconds(this.shownTime());
    this.ofAll.textContent = this.duration ? `of ${inSeconds(this.duration)}${this.more()}` : "";
    this.track.ariaValueText = `${this.now.textContent} ${this.ofAll.textContent}`;
    this.spectrogram?.told(this.time);
  }

  shownTime() {
    return this.time;
  }

  more() {
    return "";
  }
}
