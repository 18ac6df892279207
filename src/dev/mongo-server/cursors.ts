import { CommandError } from './errors.ts';

/** One batch of encoded BSON documents, written without decoding. */
export interface Batch {
  name: 'firstBatch' | 'nextBatch';
  docs: Uint8Array[];
  id: bigint;
  namespace: string;
}
interface Cursor {
  namespace: string;
  docs: Uint8Array[];
  usedAt: number;
}

const largestBatchBytes = 16 * 1024 * 1024;
const defaultBatchSize = 101;

export interface CursorLimits {
  most: number;
  lifetimeMs: number;
}

/** Open cursors with their remaining results. */
export class Cursors {
  readonly #cursors = new Map<bigint, Cursor>();
  readonly #limits: CursorLimits;
  #lastId = BigInt(Date.now()) << 16n;

  constructor(limits: CursorLimits = { most: 1000, lifetimeMs: 10 * 60_000 }) {
    this.#limits = limits;
  }

  open(namespace: string, docs: Uint8Array[], options: { batchSize?: number | undefined; isSingle?: boolean }): Batch {
    const { batch, rest } = split(docs, options.batchSize ?? defaultBatchSize);
    if (!rest.length || options.isSingle) return { name: 'firstBatch', docs: batch, id: 0n, namespace };
    this.#expire();
    if (this.#cursors.size >= this.#limits.most) {
      throw new CommandError('BadValue', `The local store keeps at most ${this.#limits.most} cursors open`);
    }
    this.#cursors.set(++this.#lastId, { namespace, docs: rest, usedAt: Date.now() });
    return { name: 'firstBatch', docs: batch, id: this.#lastId, namespace };
  }

  next(id: bigint, namespace: string, batchSize: number): Batch {
    this.#expire();
    const cursor = this.#cursors.get(id);
    if (cursor?.namespace !== namespace) throw new CommandError('CursorNotFound', `cursor id ${id} not found`);
    const { batch, rest } = split(cursor.docs, batchSize || Infinity);
    if (rest.length) Object.assign(cursor, { docs: rest, usedAt: Date.now() });
    else this.#cursors.delete(id);
    return { name: 'nextBatch', docs: batch, id: rest.length ? id : 0n, namespace };
  }

  kill(id: bigint): boolean {
    return this.#cursors.delete(id);
  }

  #expire(): void {
    const oldest = Date.now() - this.#limits.lifetimeMs;
    for (const [id, { usedAt }] of this.#cursors) if (usedAt < oldest) this.#cursors.delete(id);
  }
}

function split(docs: Uint8Array[], size: number): { batch: Uint8Array[]; rest: Uint8Array[] } {
  let [count, bytes] = [0, 0];
  for (const doc of docs) {
    bytes += doc.length;
    if (count >= size || (count > 0 && bytes > largestBatchBytes)) break;
    count++;
  }
  return { batch: docs.slice(0, count), rest: docs.slice(count) };
}
