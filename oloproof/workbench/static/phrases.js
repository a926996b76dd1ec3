// A transcript whose times are known: each phrase leads to its moment, and the one that is being said stands out. Where
// the times of its words are known, a click on one leads to it; for the keyboard a phrase stays one stop.

function spoken(span) {
  const begins = span.dataset.words?.split(" ") ?? [];
  const words = span.textContent.trim().split(/\s+/);
  if (words.length !== begins.length) return [span.textContent];
  return words.flatMap((word, number) => {
    const part = document.createElement("span");
    part.dataset.at = begins[number];
    part.textContent = word;
    return number === 0 ? [part] : [" ", part];
  });
}

function pressable(span, act) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain phrase";
  button.title = `from ${span.dataset.phrase} s`;
  button.append(...spoken(span));
  button.addEventListener("click", (event) => act(event.target.dataset.at ?? span.dataset.phrase));
  span.replaceWith(button);
  return button;
}

export function startPhrases(players, use) {
  for (const player of players) {
    const spans = [...document.querySelectorAll("[data-phrase]")].filter((one) => one.dataset.of === player.root.dataset.id);
    if (spans.length === 0) continue;
    const phrases = spans.map((span) => ({
      from: Number(span.dataset.phrase),
      until: Number(span.dataset.until),
      button: pressable(span, (seconds) => {
        use(player);
        player.seekTo(Number(seconds));
        player.root.scrollIntoView({ block: "nearest" });
      }),
    }));
    const mark = () => {
      const { time } = player;
      for (const { from, until, button } of phrases) {
        if (from <= time && time < until) button.setAttribute("aria-current", "true");
        else button.removeAttribute("aria-current");
      }
    };
    for (const kind of ["timeupdate", "seeked"]) player.medium.addEventListener(kind, mark);
  }
}
