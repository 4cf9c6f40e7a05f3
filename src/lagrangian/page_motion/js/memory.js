// Arrays in a module's memory. Whoever computes reads and writes them there; memory that grows would detach them, so that it
// grows once, before the first is made.

class Memory {
  constructor(exports, doubles) {
    const { memory, heap } = exports;
    this.at = heap.value;
    const missing = this.at + 8 * doubles - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536));
    this.buffer = memory.buffer;
  }

  /** How many doubles arrays of these lengths take. */
  static room(lengths) {
    return lengths.reduce((sum, n) => sum + 8 * Math.ceil(Math.max(1, n) / 8), 0);
  }

  take(Kind, length) {
    const array = new Kind(this.buffer, this.at, Math.max(1, length));
    this.at += 64 * Math.ceil(Math.max(1, length) / 8);
    return array;
  }

  reals(length) {
    return this.take(Float64Array, length);
  }

  whole(length) {
    return this.take(BigInt64Array, length);
  }
}
