import { LinkedList, type Entry } from './linked-list.ts';

const entryOf = Symbol('entry of a linked set');

interface Member {
  [entryOf]?: Entry<object>;
}

/** A set in a linked list, for what a library adds to a Set and removes with each request. An object is in one such set at most. */
export class LinkedSet<T extends object> {
  readonly #list = new LinkedList<object>();

  get size(): number {
    return this.#list.size;
  }

  has(value: T): boolean {
    return (value as Member)[entryOf]?.value === value;
  }

  add(value: T): this {
    if (!this.has(value)) (value as Member)[entryOf] = this.#list.add(value);
    return this;
  }

  delete(value: T): boolean {
    const isMember = this.has(value);
    if (isMember) this.#list.remove((value as Member)[entryOf]!);
    return isMember;
  }

  clear(): void {
    for (const entry of this.#list.entries()) this.#list.remove(entry);
  }

  /** Oldest first. The current value may be removed meanwhile. */
  *[Symbol.iterator](): Generator<T> {
    for (const { value } of this.#list.entries()) yield value as T;
  }
}
