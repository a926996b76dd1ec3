// Filters apply themselves: the part with the cases is replaced, with it what else leads on from the address, which says
// what is shown.

import { rove } from "./keys.js";

const PART = "results";
let asked = 0;
let shown = stateOf(window.location);

function stateOf(address) {
  return address.pathname + address.search;
}

function addressOf(form) {
  const address = new URL(form.action);
  for (const [name, value] of new FormData(form)) {
    if (value !== "") address.searchParams.append(name, value);
  }
  return address;
}

function tell(words) {
  document.querySelector(`#${PART} [data-told]`).textContent = words;
  document.getElementById("said").textContent = words;
}

function replace(page, fresh) {
  document.getElementById(PART).replaceWith(fresh);
  for (const part of document.querySelectorAll("[data-follows]")) {
    const other = page.getElementById(part.id);
    if (other !== null) part.replaceWith(other);
  }
  rove();
}

// Returns whether it is shown: not when something else was asked for before the answer came.
async function show(address, focus) {
  const number = ++asked;
  const answer = await fetch(address, { headers: { Accept: "text/html" } }).catch(() => null);
  const text = await answer?.text().catch(() => null);
  if (number !== asked) return false;
  if (answer === null || text == null) {
    tell("Not filtered: the workbench does not answer; it may have been stopped.");
    return false;
  }
  const page = new DOMParser().parseFromString(text, "text/html");
  const fresh = page.getElementById(PART);
  if (!answer.ok || fresh === null) {
    window.location.assign(address);
    return false;
  }
  replace(page, fresh);
  shown = stateOf(new URL(address));
  tell(fresh.querySelector("[data-told]").textContent);
  const again = focus && document.querySelector(`#${PART} [name="${CSS.escape(focus)}"]`);
  if (again) again.focus();
  return true;
}

async function apply(form, focus) {
  const address = addressOf(form);
  if (await show(address, focus)) history.pushState({ [PART]: true }, "", address);
}

export function startFilters() {
  if (document.querySelector("form[data-live]") === null) return;
  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-live]");
    if (form !== null && event.target.matches("select")) apply(form, event.target.name);
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("form[data-live]")) return;
    event.preventDefault();
    apply(event.target, "q");
  });
  window.addEventListener("popstate", () => {
    if (stateOf(window.location) !== shown) show(window.location.href, ""); // a step within the page shows the same
  });
}
