/** An entry of a `LinkedList`; its value is undefined once it has been removed. */
export interface Entry<T> {
  value: T | undefined;
  previous: Entry<T> | undefined;
  next: Entry<T> | undefined;
}

/**
 * Values in the order in which they were added, for what each request adds and removes. A Map or Set can keep removed values alive until the
 * next full garbage collection: V8 replaces its table every few changes, and a replaced table that is in the old generation refers
 * to what it held and to the next table.
 */
export class LinkedList<T extends object> {
  #first: Entry<T> | undefined;
  #last: Entry<T> | undefined;
  size = 0;

  add(value: T): Entry<T> {
    const entry: Entry<T> = { value, previous: this.#last, next: undefined };
    if (this.#last) this.#last.next = entry;
    else this.#first = entry;
    this.#last = entry;
    this.size += 1;
    return entry;
  }

  /** Does nothing if the entry was removed before. */
  remove(entry: Entry<T>): void {
    if (entry.value === undefined) return;
    const { previous, next } = entry;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    // Whatever still refers to the entry keeps nothing else alive.
    entry.value = entry.previous = entry.next = undefined;
    this.size -= 1;
  }

  /** Oldest first. The current entry may be removed meanwhile. */
  *entries(): Generator<Entry<T> & { value: T }> {
    for (let entry = this.#first; entry;) {
      const { next } = entry;
      yield entry as Entry<T> & { value: T };
      entry = next;
    }
  }
}
