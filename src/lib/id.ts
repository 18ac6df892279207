import { randomBytes, randomFillSync } from 'node:crypto';

export const counterSize = 0x1000000;
const processByte = randomBytes(1).toString('hex');

const pool = Buffer.alloc(4096);
let used = pool.length;

/** Random bits as 8 hex characters; filling a pool costs a fraction of a call for each id. */
function randomMark(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += 4;
  return pool.toString('hex', used - 4, used);
}

/** A new id of 24 hex characters: seconds, process, counter and random bits. Ids of one process sort by creation. */
export const newId = (): string => newMarkedId(randomMark());

/** Ids that end in a given mark of 8 hex characters; the counter of the first one follows a given number. */
export function markedIds(after: number): (mark: string) => string {
  let counter = after;
  let countedAt = 0;
  return (mark) => {
    const seconds = Math.floor(Date.now() / 1000);
    // It begins again only with a new second, long before it is full, so that the ids of each second are in order.
    const isHalfFull = counter >= counterSize / 2;
    counter = isHalfFull && seconds !== countedAt ? 0 : (counter + 1) % counterSize;
    countedAt = seconds;
    return seconds.toString(16).padStart(8, '0') + processByte + counter.toString(16).padStart(6, '0') + mark;
  };
}

/** A new id that ends in a given mark of 8 hex characters. */
export const newMarkedId = markedIds(randomBytes(3).readUIntBE(0, 3) % (counterSize / 2));

/** The id with another mark. */
export const withMark = (id: string, mark: string): string => id.slice(0, -mark.length) + mark;
