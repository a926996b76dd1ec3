// The page of two runs compared: the opened pair is wiped, flickered or subtracted; its clips play and step together.

import { Clip } from "./clips.js";
import { bindKey } from "./keys.js";
import { startPairs } from "./pairs.js";
import { drawAll } from "./player.js";
import { Sound } from "./sounds.js";

const clips = [...document.querySelectorAll("[data-clip]")].map((root) => new Clip(root));
const players = [...clips, ...[...document.querySelectorAll("[data-sound]")].map((root) => new Sound(root))];

function step(by) {
  for (const clip of clips) clip.step(by);
  return clips.length > 0;
}

bindKey(" ", () => {
  if (players.length === 0) return false;
  const isPlaying = players.some((player) => player.isPlaying); // the shorter one may have come to its end
  for (const player of players) if (player.isPlaying === isPlaying) player.toggle();
  return true;
});
bindKey(",", () => step(-1));
bindKey(".", () => step(1));
bindKey("s", () => drawAll(players));
startPairs();
