// Gives up a blind sample when its button is pressed, then shows its disagreements.

const button = document.querySelector("[data-spend]");

async function spend() {
  button.disabled = true;
  try {
    const headers = { Accept: "application/json", "X-Oloproof-Token": button.dataset.token };
    const answer = await fetch(button.dataset.spend, { method: "POST", headers });
    const told = await answer.json();
    if (answer.ok) window.location.assign(told.next);
    else refuse(told.message);
  } catch {
    refuse("the workbench does not answer; it may have been stopped");
  }
}

function refuse(why) {
  const place = document.querySelector("[data-problem]");
  place.textContent = `Nothing was changed: ${why}.`;
  place.hidden = false;
  button.disabled = false;
}

button.hidden = false;
button.addEventListener("click", spend);
