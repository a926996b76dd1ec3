// The page of two runs compared: the opened pair is wiped, flickered or subtracted; both clips of it play at once.

import { Clip } from "./clips.js";
import { bindKey } from "./keys.js";
import { startPairs } from "./pairs.js";
import { Sound } from "./sounds.js";

const players = [
  ...[...document.querySelectorAll("[data-clip]")].map((root) => new Clip(root)),
  ...[...document.querySelectorAll("[data-sound]")].map((root) => new Sound(root)),
];

bindKey(" ", () => {
  if (players.length === 0) return false;
  const isPlaying = players.some((player) => player.isPlaying); // the shorter one may have come to its end
  for (const player of players) if (player.isPlaying === isPlaying) player.toggle();
  return true;
});
startPairs();
