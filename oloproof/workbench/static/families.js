// The map of families: the arrow keys go from cell to cell, in a row and between rows; Tab leaves a row at once.

function cellsOf(row) {
  return [...row.querySelectorAll("a")];
}

function moveTo(cell) {
  for (const one of cellsOf(cell.ownerSVGElement)) one.setAttribute("tabindex", one === cell ? "0" : "-1");
  cell.focus();
}

// Cells of one case stand under each other; a case without a variant has no cell in its row.
function across(cell, row) {
  const place = (one) => one.querySelector("use").getAttribute("x");
  return row?.find((one) => place(one) === place(cell));
}

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

function onKey(event) {
  const cell = event.target.closest("a");
  const step = STEPS[event.key];
  if (cell === null || step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const rows = [...event.currentTarget.querySelectorAll(".moves")].map(cellsOf);
  const row = rows.findIndex((cells) => cells.includes(cell));
  if (row < 0) return;
  const [down, right] = step;
  const next = down ? across(cell, rows[row + down]) : rows[row][rows[row].indexOf(cell) + right];
  event.preventDefault();
  if (next !== undefined) moveTo(next);
}

document.querySelector("[data-moves]")?.addEventListener("keydown", onKey);
