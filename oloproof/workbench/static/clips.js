// Clips: step by frame at the very moments of the frames, and the frames that judges saw on the time line.
// What a browser cannot play is shown frame by frame, as pictures from the server.

import { Player } from "./player.js";
import { sizePlate } from "./zoom.js";

const NUDGE = 0.001; // s into a frame, so that rounding never shows the one before
const AHEAD = 0.05; // s before its moment at which a frame may be on its way to the screen, at the usual speed
const DISC = 25; // px that a number takes on the time line

export class Clip extends Player {
  constructor(root) {
    super(root);
    this.at = null; // when the frame that is shown begins, on the player's clock
    this.wanted = null; // the frame that is being sought
    this.table = null;
    this.loading = null;
    this.still = null;
    this.markers = [...root.querySelectorAll("[data-marker]")];
    this.moments = this.markers.map((marker) => marker.dataset.marker);
    this.marker = -1; // the one last gone to
    this.watch();
    for (const button of root.querySelectorAll("[data-step]")) {
      button.addEventListener("click", () => this.step(Number(button.dataset.step)));
    }
    root.querySelector("[data-mute]")?.addEventListener("click", ({ currentTarget }) => {
      this.medium.muted = !this.medium.muted;
      currentTarget.setAttribute("aria-pressed", String(this.medium.muted));
    });
    new ResizeObserver(() => this.placeMarkers()).observe(this.track);
  }

  listen() {
    super.listen();
    this.medium.addEventListener("play", () => (this.wanted = null));
    this.medium.addEventListener("seeked", () => this.arrived());
    this.medium.addEventListener("loadedmetadata", () => this.measured());
    this.medium.addEventListener("error", () => this.showStills());
    if (this.medium.readyState > 0) queueMicrotask(() => this.measured());
    if (this.medium.error !== null) queueMicrotask(() => this.showStills());
  }

  measured() {
    sizePlate(this.medium.parentElement, this.medium.videoWidth, this.medium.videoHeight);
    this.placeMarkers();
    this.load();
  }

  watch() {
    if (!("requestVideoFrameCallback" in this.medium)) return;
    const seen = (_now, { mediaTime }) => {
      // WebKit over GStreamer leaves out the edit list of an MP4 here: far ahead of the player is not on its clock.
      const isThere = mediaTime <= this.medium.currentTime + AHEAD * this.medium.playbackRate;
      this.at = isThere ? mediaTime : null;
      this.told();
      this.medium.requestVideoFrameCallback(seen);
    };
    this.medium.requestVideoFrameCallback(seen);
  }

  toggle() {
    if (!this.still) super.toggle();
  }

  // Fetches once when each frame is shown. Without that table a step is a 25th of a second, and no frame is numbered.
  load() {
    this.loading ??= fetch(this.root.dataset.frames)
      .then((answer) => (answer.ok ? answer.json() : null))
      .catch(() => null)
      .then((table) => {
        this.table = table;
        this.placeMarkers();
        this.told();
        this.root.dispatchEvent(new Event("frames"));
      });
    return this.loading;
  }

  get lead() {
    return this.still ? 0 : (this.table?.lead ?? 0);
  }

  get duration() {
    return this.still ? this.table.end : super.duration;
  }

  get time() {
    return this.still ? this.table.times[this.wanted] : super.time;
  }

  // Seconds from the first picture, as judges' times are, of the frame that is shown.
  shownTime() {
    if (this.wanted != null) return this.table.times[this.wanted];
    return (this.at ?? this.time) - this.lead;
  }

  frameAt(seconds) {
    let [low, high] = [0, this.table.times.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.table.times[middle] <= seconds + NUDGE / 2) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  more() {
    if (!this.table) return "";
    return `, frame ${this.frameAt(this.shownTime()) + 1} of ${this.table.times.length}`;
  }

  async step(by) {
    this.pause();
    await this.load();
    if (this.table) this.goTo(this.frameAt(this.shownTime()) + by);
    else this.seekTo(this.time + by / 25);
  }

  // Goes to the frame that is shown at a moment, in seconds from the first picture.
  async seek(seconds) {
    this.pause();
    await this.load();
    if (this.table) this.goTo(this.frameAt(seconds));
    else this.seekTo(seconds);
  }

  // Goes to a frame that a judge saw: one of the moments of the markers, as it is written there.
  seekMarker(moment) {
    this.marker = this.moments.indexOf(moment);
    return this.seek(Number(moment));
  }

  goTo(frame) {
    const { times, end } = this.table;
    this.wanted = Math.min(Math.max(frame, 0), times.length - 1);
    const from = times[this.wanted];
    const until = times[this.wanted + 1] ?? Math.max(end, from);
    if (this.still) this.still.src = `${this.root.dataset.frames}/${from.toFixed(6)}`;
    else this.medium.currentTime = this.lead + from + Math.min(NUDGE, (until - from) / 2);
    this.told();
  }

  seekTo(time) {
    if (this.still) {
      this.goTo(this.frameAt(time));
      return;
    }
    this.wanted = null;
    this.at = null;
    super.seekTo(time);
  }

  arrived() {
    if (this.wanted !== null && this.at === null) this.at = this.lead + this.table.times[this.wanted];
  }

  async showStills() {
    const plate = this.medium.parentElement;
    await this.load();
    const words = this.medium.getAttribute("aria-label");
    if (!this.table) {
      plate.hidden = true;
      plate.parentElement.classList.add("absent");
      plate.parentElement.dataset.words = `${words}: cannot be shown`;
      for (const part of this.root.querySelectorAll("[data-script-only]")) part.hidden = true; // it would control nothing
      return;
    }
    this.still = new Image();
    this.still.alt = `a frame of the ${words}`;
    this.still.draggable = false;
    this.still.addEventListener("load", () => sizePlate(plate, this.still.naturalWidth, this.still.naturalHeight));
    plate.replaceChildren(this.still);
    for (const part of this.root.querySelectorAll("[data-toggle], [data-speed], [data-mute]")) part.hidden = true;
    this.root.querySelector(".player-bar").append("This browser cannot play it; its frames are shown.");
    this.goTo(0);
    this.placeMarkers();
  }

  // Numbers that would hide each other stand below each other.
  placeMarkers() {
    const width = this.track.clientWidth;
    if (!width || !this.duration) return;
    const ends = [];
    for (const marker of this.markers) {
      const share = Math.min((this.lead + Number(marker.dataset.marker)) / this.duration, 1);
      const row = ends.findIndex((end) => end <= share * width);
      const place = row < 0 ? ends.length : row;
      ends[place] = share * width + DISC;
      marker.style.left = `${100 * share}%`;
      marker.style.top = `${place * DISC}px`;
    }
    const list = this.root.querySelector(".markers");
    if (list !== null) list.style.height = `${ends.length * DISC + 4}px`;
  }
}
