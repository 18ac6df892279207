const blockSize = 256;

interface Entry {
  key: string;
  seq: number;
}

/** A sorted list kept in small blocks, so that an insert moves at most one block. */
export class SortedList<E extends Entry> {
  readonly #blocks: E[][] = [];
  size = 0;

  /** First position whose entry is not below (key, seq). */
  #seek(key: string, seq: number): [block: number, item: number] {
    const isBelow = (entry: E | undefined): boolean =>
      entry !== undefined && (entry.key < key || (entry.key === key && entry.seq < seq));
    const block = search(this.#blocks.length, (i) => isBelow(this.#blocks[i]?.at(-1)));
    const items = this.#blocks[block] ?? [];
    return [block, search(items.length, (i) => isBelow(items[i]))];
  }

  add(entry: E): void {
    this.size++;
    let [block, at] = this.#seek(entry.key, entry.seq);
    if (block === this.#blocks.length && block > 0) at = this.#blocks[--block]?.length ?? 0;
    const items = this.#blocks[block];
    if (!items) {
      this.#blocks.push([entry]);
      return;
    }
    items.splice(at, 0, entry);
    if (items.length <= blockSize) return;
    // Appends in order leave full blocks instead of halves.
    const isAppend = at === items.length - 1 && block === this.#blocks.length - 1;
    this.#blocks.splice(block + 1, 0, items.splice(isAppend ? items.length - 1 : items.length >> 1));
  }

  get(key: string, seq: number): E | undefined {
    const [block, at] = this.#seek(key, seq);
    const found = this.#blocks[block]?.[at];
    return found?.key === key && found.seq === seq ? found : undefined;
  }

  remove(key: string, seq: number): void {
    const [block, at] = this.#seek(key, seq);
    const items = this.#blocks[block];
    const found = items?.[at];
    if (!items || found?.key !== key || found.seq !== seq) return;
    items.splice(at, 1);
    this.size--;
    if (items.length === 0) this.#blocks.splice(block, 1);
  }

  /** Entries with low <= key < high, in order. */
  *range(low: string, high: string, reverse = false): Generator<E> {
    let [block, at] = this.#seek(reverse ? high : low, -1);
    if (reverse) at--;
    while (block >= 0 && block <= this.#blocks.length) {
      const items = this.#blocks[block] ?? [];
      for (let entry = items[at]; entry; entry = items[at]) {
        if (reverse ? entry.key < low : entry.key >= high) return;
        yield entry;
        at += reverse ? -1 : 1;
      }
      block += reverse ? -1 : 1;
      at = reverse ? (this.#blocks[block]?.length ?? 0) - 1 : 0;
    }
  }

  /** How many entries have low <= key < high, at most `limit`; adds the lengths of the blocks between the two. */
  count(low: string, high: string, limit: number): number {
    const [first, from] = this.#seek(low, -1);
    const [last, to] = this.#seek(high, -1);
    if (first > last || (first === last && from >= to)) return 0;
    let count = -from;
    for (let block = first; block < last && count < limit; block++) count += this.#blocks[block]?.length ?? 0;
    return Math.min(count < limit ? count + to : count, limit);
  }

  /** The first entry with low <= key < high. */
  first(low: string, high: string): E | undefined {
    const [block, at] = this.#seek(low, -1);
    const entry = this.#blocks[block]?.[at];
    return entry && entry.key < high ? entry : undefined;
  }
}

/** Binary search: the first of `length` positions that is not below. */
function search(length: number, isBelow: (i: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
