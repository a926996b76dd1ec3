// Media: a picture that cannot be shown says so in its place; the frames that a judge saw are found in the clip.

let frame = -1;

function clipOf(button) {
  return document.querySelector(`video[data-id="${CSS.escape(button.dataset.of)}"]`);
}

function seek(button) {
  const clip = clipOf(button);
  clip.pause();
  clip.currentTime = Number(button.dataset.seek);
  clip.scrollIntoView({ block: "nearest", inline: "center" });
}

export function nextFrame() {
  const buttons = [...document.querySelectorAll("[data-seek]:not([hidden])")];
  if (buttons.length === 0) return false;
  frame = (frame + 1) % buttons.length;
  seek(buttons[frame]);
  return true;
}

function offerFrames() {
  for (const button of document.querySelectorAll("[data-seek]")) {
    button.hidden = clipOf(button) === null;
    button.addEventListener("click", () => seek(button));
  }
}

function onFailure(event) {
  const failed = event.target;
  if (!(failed instanceof HTMLImageElement || failed instanceof HTMLMediaElement)) return;
  const mat = failed.closest(".mat");
  if (mat === null) return;
  mat.classList.add("absent");
  mat.dataset.words = `${failed.getAttribute("alt") || failed.getAttribute("aria-label")}: cannot be shown`;
  if (failed instanceof HTMLImageElement) failed.hidden = true;
}

export function startMedia() {
  document.addEventListener("error", onFailure, true);
  offerFrames();
  for (const image of document.querySelectorAll(".mat img")) {
    if (image.complete && image.naturalWidth === 0 && image.loading !== "lazy") onFailure({ target: image });
  }
}
