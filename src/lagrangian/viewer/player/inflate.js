// Deflate undone (RFC 1951, in the frame of RFC 1950), at once: a player has its picture before the page is shown, and needs no
// browser of these years for it.

/** `size` bytes, from those that zlib wrote. */
function inflated(from, size) {
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
    const { lengths, distances } = kind === 1 ? FIXED : dynamic(bits, symbol);
    for (let code = symbol(lengths); code !== 256; code = symbol(lengths)) {
      if (code < 256) {
        out[end++] = code;
        continue;
      }
      const [base, more] = LENGTHS[code - 257], length = base + bits(more), [far, farther] = DISTANCES[symbol(distances)];
      const distance = far + bits(farther);
      for (let k = 0; k < length; k++, end++) out[end] = out[end - distance];
    }
  }
  return out;
}

/** Codes of these lengths, in their canonical order. */
function codes(lengths) {
  const counts = new Array(16).fill(0), symbols = [];
  for (const length of lengths) if (length) counts[length]++;
  for (let length = 1; length < 16; length++) lengths.forEach((own, k) => own === length && symbols.push(k));
  return { counts, symbols };
}

function dynamic(bits, symbol) {
  const many = bits(5) + 257, far = bits(5) + 1, some = bits(4) + 4, order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
  const short = new Array(19).fill(0), lengths = [];
  for (let k = 0; k < some; k++) short[order[k]] = bits(3);
  const table = codes(short);
  while (lengths.length < many + far) {
    const code = symbol(table);
    if (code < 16) lengths.push(code);
    else {
      const again = code === 16 ? lengths[lengths.length - 1] : 0, times = code === 16 ? 3 + bits(2) : code === 17 ? 3 + bits(3) : 11 + bits(7);
      for (let k = 0; k < times; k++) lengths.push(again);
    }
  }
  return { lengths: codes(lengths.slice(0, many)), distances: codes(lengths.slice(many)) };
}

const fixed = (k) => (k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8);
const FIXED = { lengths: codes(Array.from({ length: 288 }, (_, k) => fixed(k))), distances: codes(new Array(30).fill(5)) };
const LENGTHS = [], DISTANCES = [];  // the least, and how many bits say how much more
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
