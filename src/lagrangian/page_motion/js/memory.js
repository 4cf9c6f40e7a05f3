// Arrays in a module's memory, which the module and this script both read and write. Memory that grows detaches its arrays, so it
// grows once, before the first array is made.

class Memory {
  constructor(exports, doubles) {
    const { memory, heap } = exports;
    this.address = heap.value;
    const missing = this.address + 8 * doubles - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536));
    this.buffer = memory.buffer;
  }

  /** The number of doubles that arrays of these lengths take; each array starts a line of the cache. */
  static doublesNeeded(lengths) {
    return lengths.reduce((sum, n) => sum + 8 * Math.ceil(Math.max(1, n) / 8), 0);
  }

  allocate(ArrayType, length) {
    const array = new ArrayType(this.buffer, this.address, Math.max(1, length));
    this.address += 64 * Math.ceil(Math.max(1, length) / 8);
    return array;
  }

  reals(length) {
    return this.allocate(Float64Array, length);
  }

  integers(length) {
    return this.allocate(BigInt64Array, length);
  }
}
