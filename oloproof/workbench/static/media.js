// Media: a picture that cannot be shown says so in its place, and why. Clips and sounds of a case say it themselves.

const SVG = "http://www.w3.org/2000/svg";
const ALTERED = { 409: ["changed", "changed since it was recorded"], 410: ["missing", "gone or not readable"] };

function onFailure(event) {
  const failed = event.target;
  if (!(failed instanceof HTMLImageElement || failed instanceof HTMLMediaElement)) return;
  const mat = failed.closest(".mat");
  if (mat === null || failed.closest("[data-clip] .view") !== null) return;
  const name = failed.getAttribute("alt") || failed.getAttribute("aria-label");
  mat.classList.add("absent");
  say(mat, `${name}: cannot be shown`);
  if (failed instanceof HTMLImageElement) failed.hidden = true;
  tellAltered(mat, name, failed.getAttribute("src"));
}

function say(mat, words) {
  mat.dataset.words = words;
  mat.title = words;
}

// An element is not told what was answered, so it is asked once more: changed bytes are told from those that are no picture.
async function tellAltered(mat, name, address) {
  const answer = await fetch(address, { headers: { Accept: "application/json" } }).catch(() => null);
  const found = ALTERED[answer?.status];
  if (found === undefined || mat.querySelector(".mark") !== null) return;
  const [mark, words] = found;
  mat.prepend(sign(mark));
  say(mat, `${name}: ${words}`);
}

function sign(mark) {
  const [drawing, use] = ["svg", "use"].map((tag) => document.createElementNS(SVG, tag));
  drawing.setAttribute("class", `mark ${mark}`);
  drawing.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `#m-${mark}`);
  drawing.append(use);
  return drawing;
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
