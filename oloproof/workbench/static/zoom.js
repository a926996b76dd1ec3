// Zoom and pan. Every [data-view] shows one [data-plate]; those in one [data-zoomed] have one zoom and move together.
// Fit is not larger than the picture, but for small ones; at 100 % a pixel of the picture is one of the screen.

const LEVELS = ["fit", "1", "4"];
const WORDS = { fit: "Fit", 1: "100 %", 4: "400 %" };
const SMALL_SHOWN = 384; // px: smaller pictures are enlarged by a whole factor, their pixels crisp

const places = new WeakMap(); // where the views of a place look, as shares of the picture
let leader = null;

function isScrollable(view) {
  return view.scrollWidth > view.clientWidth || view.scrollHeight > view.clientHeight;
}

function enlarged(width, height) {
  return Math.max(1, Math.floor(SMALL_SHOWN / Math.max(width, height)));
}

function fitWidth(width, height) {
  return `min(100%, ${width * enlarged(width, height)}px, calc(var(--most-high) * ${width / height}))`;
}

// Says how large the picture of a plate is, in pixels, and shows it at the zoom of its place.
export function sizePlate(plate, width, height) {
  if (!width || !height) return;
  const level = plate.closest("[data-zoomed]")?.dataset.zoomed || "fit"; // what stands in no place does not zoom
  plate.dataset.width = width;
  plate.dataset.height = height;
  plate.classList.toggle("crisp", level !== "fit" || enlarged(width, height) > 1);
  plate.style.aspectRatio = `${width} / ${height}`;
  plate.style.width = level === "fit" ? fitWidth(width, height) : `${(width / devicePixelRatio) * Number(level)}px`;
}

function centre(view) {
  return [
    (view.scrollLeft + view.clientWidth / 2) / Math.max(view.scrollWidth, 1),
    (view.scrollTop + view.clientHeight / 2) / Math.max(view.scrollHeight, 1),
  ];
}

function moveTo(view, [x, y]) {
  view.scrollLeft = x * view.scrollWidth - view.clientWidth / 2;
  view.scrollTop = y * view.scrollHeight - view.clientHeight / 2;
}

function views(place) {
  return [...place.querySelectorAll("[data-view]")];
}

function offerFocus(view) {
  if (isScrollable(view)) view.tabIndex = 0;
  else view.removeAttribute("tabindex");
}

function show(place, level) {
  const seen = views(place).find((view) => view.clientWidth > 0);
  if (seen !== undefined) places.set(place, centre(seen));
  place.dataset.zoomed = level;
  for (const plate of place.querySelectorAll("[data-plate][data-width]")) {
    sizePlate(plate, Number(plate.dataset.width), Number(plate.dataset.height));
  }
  stayInPlace(place);
  for (const words of place.querySelectorAll("[data-zoom-words]")) words.textContent = WORDS[level];
}

// Lets every view of a place look where the one did that was moved last.
export function stayInPlace(place) {
  for (const view of views(place)) {
    moveTo(view, places.get(place) ?? [0.5, 0.5]);
    offerFocus(view);
  }
}

// Goes on to the next zoom: fit, 100 %, 400 %.
export function zoomNext(place) {
  const now = LEVELS.indexOf(place.dataset.zoomed || "fit");
  const level = LEVELS[(now + 1) % LEVELS.length];
  show(place, level);
  document.getElementById("said").textContent = `Zoom: ${WORDS[level]}`;
}

function follow(event) {
  if (event.target !== leader) return;
  const place = leader.closest("[data-zoomed]");
  places.set(place, centre(leader));
  for (const view of views(place)) if (view !== leader) moveTo(view, places.get(place));
}

function lead(event) {
  leader = event.currentTarget;
}

function startDrag(event) {
  const view = event.currentTarget;
  if (event.button !== 0 || event.pointerType === "touch" || !isScrollable(view)) return;
  event.preventDefault();
  view.focus({ preventScroll: true });
  view.setPointerCapture(event.pointerId);
  const from = [event.clientX + view.scrollLeft, event.clientY + view.scrollTop];
  const drag = (moved) => view.scrollTo(from[0] - moved.clientX, from[1] - moved.clientY);
  view.classList.add("dragged");
  view.addEventListener("pointermove", drag);
  view.addEventListener(
    "lostpointercapture",
    () => {
      view.removeEventListener("pointermove", drag);
      view.classList.remove("dragged");
    },
    { once: true },
  );
}

function keepArrows(event) {
  if (event.key.startsWith("Arrow") && isScrollable(event.currentTarget)) event.stopPropagation();
}

// Makes the views of a place move together, and its buttons zoom.
export function startZoom(place) {
  const resized = new ResizeObserver((entries) => entries.forEach((entry) => offerFocus(entry.target)));
  for (const view of views(place)) {
    for (const kind of ["pointerdown", "pointerenter", "wheel", "focus"]) {
      view.addEventListener(kind, lead, { passive: true });
    }
    view.addEventListener("pointerdown", startDrag);
    view.addEventListener("keydown", keepArrows);
    view.addEventListener("scroll", follow);
    resized.observe(view);
  }
  for (const button of place.querySelectorAll("[data-zoom-next]")) {
    button.addEventListener("click", () => zoomNext(place));
  }
}
