// Filters apply themselves: the part with the cases is replaced, and the address says what is shown.

import { rove } from "./keys.js";

const PART = "results";

function addressOf(form) {
  const address = new URL(form.action);
  for (const [name, value] of new FormData(form)) {
    if (value !== "") address.searchParams.append(name, value);
  }
  return address;
}

async function show(address, focus) {
  const answer = await fetch(address, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById(PART);
  if (!answer.ok || fresh === null) {
    window.location.assign(address);
    return;
  }
  document.getElementById(PART).replaceWith(fresh);
  rove();
  document.getElementById("said").textContent = fresh.querySelector("[data-told]").textContent;
  const again = focus && document.querySelector(`#${PART} [name="${CSS.escape(focus)}"]`);
  if (again) again.focus();
}

async function apply(form, focus) {
  const address = addressOf(form);
  await show(address, focus);
  history.pushState({ [PART]: true }, "", address);
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
  window.addEventListener("popstate", () => show(window.location.href, ""));
}
