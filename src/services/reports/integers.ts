type Numbers = Uint8Array | Uint32Array | Float64Array;

/**
 * Frees what a typed array holds; it is empty afterwards. The garbage collector would free it late, because an array that has
 * lived for a while is old and hardly any of it is in the heap. The clone takes the memory over and is collected soon.
 */
export function freeArray({ buffer }: Numbers): void {
  if (buffer.byteLength > 0) structuredClone(buffer, { transfer: [buffer as ArrayBuffer] });
}

/** A list of integers from 0 to 2^32 - 1. */
export class Integers {
  length = 0;
  private values = new Uint32Array(256);

  push(value: number): void {
    if (this.length === this.values.length) this.grow(2 * this.length);
    this.values[this.length++] = value;
  }

  append(more: Uint32Array): void {
    const length = this.length + more.length;
    if (length > this.values.length) this.grow(Math.max(2 * this.values.length, length));
    this.values.set(more, this.length);
    this.length = length;
  }

  private grow(length: number): void {
    const full = this.values;
    this.values = new Uint32Array(length);
    this.values.set(full);
    freeArray(full);
  }

  at(index: number): number {
    return this.values[index] ?? 0;
  }

  get byteLength(): number {
    return this.values.byteLength;
  }

  /** What the list holds now. */
  all(): Uint32Array {
    return this.values.subarray(0, this.length);
  }

  free(): void {
    this.length = 0;
    freeArray(this.values);
  }
}
