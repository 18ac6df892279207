import { randomBytes } from 'node:crypto';

let counter = randomBytes(3).readUIntBE(0, 3);
const process5 = randomBytes(5).toString('hex');

/** A new id of 24 hex characters that sorts by creation: seconds, process, counter. */
export function newId(): string {
  counter = (counter + 1) % 0x1000000;
  const seconds = Math.floor(Date.now() / 1000);
  return seconds.toString(16).padStart(8, '0') + process5 + counter.toString(16).padStart(6, '0');
}

/** A new id that ends in a given mark of 8 hex characters. */
export const newMarkedId = (mark: string): string =>
  withMark(newId().slice(0, 8) + randomBytes(8).toString('hex'), mark);

/** The id with another mark. */
export const withMark = (id: string, mark: string): string => id.slice(0, -mark.length) + mark;
