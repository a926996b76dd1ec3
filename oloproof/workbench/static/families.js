// The map of families: its shapes become links with words, the arrow keys go from cell to cell, in a row and between rows;
// Tab leaves a row at once.

const SVG = "http://www.w3.org/2000/svg";

function linked(shape, words, address) {
  const cell = document.createElementNS(SVG, address === null ? "g" : "a");
  const title = document.createElementNS(SVG, "title");
  title.textContent = words;
  if (address !== null) cell.setAttribute("href", address);
  shape.replaceWith(cell);
  cell.append(title, shape);
}

// The page says once which case a column is, and in each row once what its shapes say: it would be long otherwise.
function linkCells(map) {
  const cases = JSON.parse(map.dataset.cases);
  const addresses = JSON.parse(map.dataset.addresses);
  for (const row of map.querySelectorAll(".moves")) {
    const words = JSON.parse(row.dataset.words);
    [...row.querySelectorAll("use")].forEach((shape, number) => {
      const move = shape.getAttribute("href").slice("#v-".length);
      const address = move === "absent" ? null : addresses[number] + row.dataset.query;
      linked(shape, `${cases[number]}: ${words[move]}`, address);
    });
    cellsOf(row).forEach((cell, number) => cell.setAttribute("tabindex", number === 0 ? "0" : "-1"));
  }
}

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

const map = document.querySelector("[data-moves]");
if (map !== null) {
  linkCells(map);
  map.addEventListener("keydown", onKey);
}
