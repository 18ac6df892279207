import { compareNumbers } from './numbers.ts';
import { bytesOf } from './order.ts';
import { num, rank, rankOf, type Value } from './values.ts';

const scratch = Buffer.alloc(8);
const latin = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');

/** Eight bytes of the nearest double, then the side of the exact value, then its digits. */
function numberKey(value: Value): string {
  const double = num(value);
  if (Number.isNaN(double)) return `${'\0'.repeat(8)}\x80`;
  scratch.writeDoubleBE(double === 0 ? 0 : double);
  const first = scratch.readUInt8(0);
  if (first & 0x80) for (const [i, byte] of scratch.entries()) scratch[i] = byte ^ 0xff;
  else scratch[0] = first | 0x80;
  const head = scratch.toString('latin1');
  const side = typeof value === 'number' ? 0 : compareNumbers(value, double);
  if (side === 0) return `${head}\x80`;
  return `${head}${side < 0 ? '\x7f' : '\x81'}${digitsKey(value)}`;
}

/** Longs with the same nearest double have equally many digits, which order them; inverted below zero. */
const digitsKey = (value: Value): string => {
  const digits = `${String(value).padStart(40, '0')}\0`;
  return num(value) < 0 ? invert(digits) : digits;
};

const isPrintable = /^[ -~]*$/;
const textKey = (text: string): string =>
  `${isPrintable.test(text) ? text : Buffer.from(text).toString('latin1').replaceAll('\0', '\0\xff')}\0\0`;

function objectKey(value: Value): string {
  const fields = Object.entries<Value>(value).map(
    ([key, field]) => String.fromCharCode(rankOf(field)) + textKey(key) + sortKey(field),
  );
  return `${fields.join('')}\0`;
}

function binaryKey(value: Value): string {
  const bytes = bytesOf(value);
  scratch.writeUInt32BE(bytes.length);
  scratch[4] = value.sub_type;
  return scratch.toString('latin1', 0, 5) + latin(bytes);
}

function timestampKey(value: Value): string {
  scratch.writeBigUInt64BE(BigInt.asUintN(64, value.toBigInt()));
  return scratch.toString('latin1');
}

const byRank: Record<number, (value: Value) => string> = {
  [rank.number]: numberKey,
  [rank.string]: textKey,
  [rank.objectId]: (value) => latin(value.id),
  [rank.boolean]: (value) => (value ? '\x01' : '\0'),
  [rank.date]: (value) => numberKey(value.getTime()),
  [rank.timestamp]: timestampKey,
  [rank.binary]: binaryKey,
  [rank.array]: (value) => `${value.map(sortKey).join('')}\0`,
  [rank.object]: objectKey,
  [rank.regex]: (value) => textKey(value.pattern) + textKey(value.options),
};

/** Encodes a value so that the string order of keys is the order of the values. */
export function sortKey(value: Value): string {
  const classOf = rankOf(value);
  return String.fromCharCode(classOf) + (byRank[classOf]?.(value) ?? '');
}

/** The key for descending order. */
export const invert = (key: string): string => {
  const bytes = Buffer.from(key, 'latin1');
  for (const [i, byte] of bytes.entries()) bytes[i] = byte ^ 0xff;
  return bytes.toString('latin1');
};
