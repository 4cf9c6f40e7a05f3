// Deflate undone (RFC 1951, in the frame of RFC 1950), at once: a player has its picture before the page is shown, and needs no
// browser of these years for it.

/** `size` bytes, from those that zlib wrote. */
function inflateBytes(from, size) {
  const out = new Uint8Array(size);
  let at = 2, bit = 0, held = 0, end = 0;  // behind zlib's two bytes

  const bits = (count) => {
    while (bit < count) {
      held |= from[at++] << bit;
      bit += 8;
    }
    const value = held & ((1 << count) - 1);
    held >>>= count;
    bit -= count;
    return value;
  };
  const symbol = ({ counts, symbols }) => {
    for (let length = 1, code = 0, first = 0, index = 0; length < 16; length++) {
      code |= bits(1);
      const count = counts[length];
      if (code - count < first) return symbols[index + code - first];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new Error("the data in this page is damaged");
  };

  for (let last = 0; !last; ) {
    last = bits(1);
    const kind = bits(2);
    if (kind === 0) {
      held = bit = 0;
      const length = from[at] | (from[at + 1] << 8);
      out.set(from.subarray(at + 4, at + 4 + length), end);
      at += 4 + length;
      end += length;
      continue;
    }
    const { lengths, distances } = kind === 1 ? FIXED : readTables(bits, symbol);
    for (let code = symbol(lengths); code !== 256; code = symbol(lengths)) {
      if (code < 256) {
        out[end++] = code;
        continue;
      }
      const [minLength, lengthBits] = LENGTHS[code - 257], length = minLength + bits(lengthBits);
      const [minDistance, distanceBits] = DISTANCES[symbol(distances)], distance = minDistance + bits(distanceBits);
      for (let k = 0; k < length; k++, end++) out[end] = out[end - distance];
    }
  }
  return out;
}

/** Codes of these lengths, in their canonical order. */
function huffmanTable(lengths) {
  const counts = new Array(16).fill(0), symbols = [];
  for (const length of lengths) if (length) counts[length]++;
  for (let length = 1; length < 16; length++) lengths.forEach((own, k) => own === length && symbols.push(k));
  return { counts, symbols };
}

function readTables(bits, symbol) {
  const lengthCount = bits(5) + 257, distanceCount = bits(5) + 1, codeLengthCount = bits(4) + 4, order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
  const codeLengths = new Array(19).fill(0), lengths = [];
  for (let k = 0; k < codeLengthCount; k++) codeLengths[order[k]] = bits(3);
  const table = huffmanTable(codeLengths);
  while (lengths.length < lengthCount + distanceCount) {
    const code = symbol(table);
    if (code < 16) lengths.push(code);
    else {
      const repeated = code === 16 ? lengths[lengths.length - 1] : 0, count = code === 16 ? 3 + bits(2) : code === 17 ? 3 + bits(3) : 11 + bits(7);
      for (let k = 0; k < count; k++) lengths.push(repeated);
    }
  }
  return { lengths: huffmanTable(lengths.slice(0, lengthCount)), distances: huffmanTable(lengths.slice(lengthCount)) };
}

const fixedLength = (k) => (k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8);
const FIXED = { lengths: huffmanTable(Array.from({ length: 288 }, (_, k) => fixedLength(k))), distances: huffmanTable(new Array(30).fill(5)) };
const LENGTHS = [], DISTANCES = [];  // the smallest of each code, and the number of bits that are added to it
for (let k = 0, base = 3; k < 28; k++) {
  const more = k < 8 ? 0 : (k >> 2) - 1;
  LENGTHS.push([base, more]);
  base += 1 << more;
}
LENGTHS.push([258, 0]);
for (let k = 0, base = 1; k < 30; k++) {
  const more = k < 4 ? 0 : (k >> 1) - 1;
  DISTANCES.push([base, more]);
  base += 1 << more;
}
