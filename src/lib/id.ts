import { randomBytes } from 'node:crypto';

let counter = randomBytes(3).readUIntBE(0, 3);
const process5 = randomBytes(5).toString('hex');

/** A new id of 24 hex characters that sorts by creation: seconds, process, counter. */
export function newId(): string {
  counter = (counter + 1) % 0x1000000;
  const seconds = Math.floor(Date.now() / 1000);
  return seconds.toString(16).padStart(8, '0') + process5 + counter.toString(16).padStart(6, '0');
}
