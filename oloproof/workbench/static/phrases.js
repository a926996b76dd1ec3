// A transcript whose times are known: each phrase leads to its moment, and the one that is being said stands out.

function pressable(span, act) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain phrase";
  button.title = `from ${span.dataset.phrase} s`;
  button.textContent = span.textContent;
  button.addEventListener("click", act);
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
      button: pressable(span, () => {
        use(player);
        player.seekTo(Number(span.dataset.phrase));
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
