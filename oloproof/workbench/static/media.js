// Media: a picture that cannot be shown says so in its place. Clips and sounds of a case say it themselves.

function onFailure(event) {
  const failed = event.target;
  if (!(failed instanceof HTMLImageElement || failed instanceof HTMLMediaElement)) return;
  const mat = failed.closest(".mat");
  if (mat === null || failed.closest("[data-clip] .view") !== null) return;
  mat.classList.add("absent");
  mat.dataset.words = `${failed.getAttribute("alt") || failed.getAttribute("aria-label")}: cannot be shown`;
  if (failed instanceof HTMLImageElement) failed.hidden = true;
}

// Whether a picture failed before anybody listened; one that waits until it comes into view was not asked for yet.
function hasFailed(image) {
  return image.complete && image.naturalWidth === 0 && performance.getEntriesByName(image.src).length > 0;
}

export function startMedia() {
  document.addEventListener("error", onFailure, true);
  for (const image of document.querySelectorAll(".mat img")) {
    if (hasFailed(image)) onFailure({ target: image });
  }
}
