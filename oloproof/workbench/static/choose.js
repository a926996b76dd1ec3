// Choosing two runs: the bar says what would be compared; of more than two that are ticked the last two stay.

import { bindKey } from "./keys.js";

const order = [];

function boxes() {
  return [...document.querySelectorAll('#choose input[name="run"]')];
}

function shared([one, other]) {
  const known = one.dataset.dataset === other.dataset.dataset && "whole" in one.dataset && "whole" in other.dataset;
  return known ? `${one.dataset.cases} cases in both` : `${one.dataset.cases} and ${other.dataset.cases} cases`;
}

// The list has the newest run first: of two, the newer one is the candidate.
function tell() {
  const bar = document.querySelector("[data-chosen]");
  const chosen = boxes().filter((box) => box.checked);
  bar.hidden = chosen.length === 0;
  bar.querySelector("button:not([type])").disabled = chosen.length !== 2;
  const words = bar.querySelector("[data-told]");
  const name = (box) => Object.assign(document.createElement("strong"), { textContent: box.dataset.words });
  if (chosen.length === 2) words.replaceChildren(name(chosen[0]), " against ", name(chosen[1]), `, ${shared(chosen)}`);
  else if (chosen.length === 1) words.replaceChildren(name(chosen[0]), ": tick another run to compare it with");
  document.body.classList.toggle("floating", chosen.length > 0);
}

function onChange(event) {
  const box = event.target;
  if (!box.matches('#choose input[name="run"]')) return;
  if (order.includes(box)) order.splice(order.indexOf(box), 1);
  if (box.checked) order.push(box);
  while (order.length > 2) order.shift().checked = false;
  tell();
}

function tick() {
  const box = document.activeElement.closest("[data-run]")?.querySelector('input[name="run"]');
  if (!box) return false;
  box.click();
  return true;
}

export function startChoosing() {
  const form = document.getElementById("choose");
  if (form === null) return;
  bindKey("x", tick);
  form.addEventListener("change", onChange);
  form.addEventListener("reset", () => {
    order.length = 0;
    setTimeout(tell);
  });
  order.push(...boxes().filter((box) => box.checked));
  tell();
}
