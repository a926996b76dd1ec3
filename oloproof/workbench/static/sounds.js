// Sounds: the wave shows in the accent what has been played, and is clicked to seek.

import { Player } from "./player.js";

export class Sound extends Player {
  constructor(root) {
    super(root);
    const wave = root.querySelector("[data-played]");
    wave.style.maskImage = `url("${encodeURI(wave.dataset.wave)}")`;
    this.medium.addEventListener("error", () => this.refuse());
    if (this.medium.error !== null) this.refuse();
  }

  refuse() {
    this.now.textContent = "This browser cannot play it.";
    this.ofAll.textContent = "";
    this.root.querySelector("[data-toggle]").disabled = true;
  }

  told() {
    super.told();
    const share = this.duration ? this.time / this.duration : 0;
    const cursor = this.root.querySelector(".wave [data-cursor]");
    this.root.querySelector("[data-played]").style.clipPath = `inset(0 ${100 * (1 - share)}% 0 0)`;
    cursor.style.left = `${100 * share}%`;
    cursor.hidden = share === 0;
  }
}
