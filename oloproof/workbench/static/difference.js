// Where two pictures differ, pixel by pixel, as the browser shows them: 8 bits a channel, in sRGB. The difference of a
// pixel is that of its most different channel, opacity among them. Pictures lie on each other at their top left corners.

const PIXELS_AT_ONCE = 1 << 21;

// Decoded once, however many strips are read of it.
async function reader(picture, { width, height }) {
  const isEnlarged = picture.naturalWidth !== width;
  const size = isEnlarged ? { resizeWidth: width, resizeHeight: height, resizeQuality: "high" } : {};
  const bitmap = await createImageBitmap(picture, size);
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true });
  return (top, rows) => {
    canvas.width = width;
    canvas.height = rows;
    context.drawImage(bitmap, 0, -top);
    return context.getImageData(0, 0, width, rows).data;
  };
}

function apart(first, second, at, to) {
  return Math.max(
    Math.abs(first[at] - second[to]),
    Math.abs(first[at + 1] - second[to + 1]),
    Math.abs(first[at + 2] - second[to + 2]),
    Math.abs(first[at + 3] - second[to + 3]),
  );
}

// The larger the difference the darker and the redder; what is equal is a pale copy of the first picture.
function paint(out, at, level, tolerance, grey) {
  const share = (level - tolerance) / 255;
  const equal = level <= tolerance;
  out[at] = equal ? grey : 255 - 115 * share;
  out[at + 1] = equal ? grey : 165 * (1 - share);
  out[at + 2] = equal ? grey : 45 * share;
  out[at + 3] = 255;
}

function paleGrey(data, at) {
  const light = 0.2126 * data[at] + 0.7152 * data[at + 1] + 0.0722 * data[at + 2];
  return 255 - ((255 - light) * data[at + 3]) / 255 / 3;
}

// Where only one picture is, or none.
function hatch(data, at, x, y, stripe, isThere) {
  data.fill((x + y) % (4 * stripe) < stripe ? 140 : 225, at, at + 3);
  data[at + 3] = isThere ? 255 : 0;
}

function paintStrip(strip, first, second, sizes, tolerance, found) {
  const { width, height, data } = strip;
  const stripe = Math.max(2, Math.round(width / 300));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = 4 * (y * width + x);
      const inFirst = x < sizes.first.width && strip.top + y < sizes.first.height;
      const inSecond = x < sizes.second.width && strip.top + y < sizes.second.height;
      if (!inFirst || !inSecond) {
        hatch(data, at, x, strip.top + y, stripe, inFirst || inSecond);
        continue;
      }
      const here = 4 * (y * sizes.first.width + x);
      const level = apart(first, second, here, 4 * (y * sizes.second.width + x));
      paint(data, at, level, tolerance, paleGrey(first, here));
      found.common += 1;
      found.differing += level > 0;
      found.beyond += level > tolerance;
      found.most = Math.max(found.most, level);
    }
  }
}

// Draws on `canvas` where `first` and `second` differ by more than `tolerance` of 255; `sizes` are the pixels that each
// takes. Returns how many pixels lie in both (`common`), differ at all and beyond the tolerance, and `most`, the largest
// difference; null when `isWanted` says meanwhile that nobody waits for it.
export async function drawDifference(canvas, first, second, sizes, tolerance, isWanted) {
  canvas.width = Math.max(sizes.first.width, sizes.second.width);
  canvas.height = Math.max(sizes.first.height, sizes.second.height);
  const context = canvas.getContext("2d");
  const [readFirst, readSecond] = await Promise.all([reader(first, sizes.first), reader(second, sizes.second)]);
  const rows = Math.max(1, Math.floor(PIXELS_AT_ONCE / canvas.width));
  const found = { common: 0, differing: 0, beyond: 0, most: 0 };
  for (let top = 0; top < canvas.height; top += rows) {
    if (!isWanted()) return null;
    const image = context.createImageData(canvas.width, Math.min(rows, canvas.height - top));
    const strip = { top, width: image.width, height: image.height, data: image.data };
    paintStrip(strip, readFirst(top, image.height), readSecond(top, image.height), sizes, tolerance, found);
    context.putImageData(image, 0, top);
    await new Promise((resume) => setTimeout(resume));
  }
  return found;
}
