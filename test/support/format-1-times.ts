import { frameOf, headSize, kinds, makeRecord, recordsOf } from '../../src/dev/mongo-server/frames.ts';
import { decode, isPlain, type Doc } from '../../src/dev/mongo-server/values.ts';

/** Half an hour after the release that wrote the fixture was killed, so that its leases have ended. */
const readAt = Date.parse('2026-11-28T23:47:00Z');
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const magicLength = 8;
const millisecondsFrom = 1e12;

const shiftText = (text: string, by: number): string => {
  if (!instant.test(text)) return text;
  const shifted = new Date(Date.parse(text) + by).toISOString();
  return text.includes('.') ? shifted : shifted.replace('.000Z', 'Z');
};

/** The sandbox keeps times as text, seconds or milliseconds; only the name of a member distinguishes a number from an id. */
const isTime = (name: string): boolean => /At$|_time$|^(at|start|ranSince|runFrom)$/.test(name);

function shift(value: unknown, by: number, name = ''): unknown {
  if (typeof value === 'string') return shiftText(value, by);
  if (typeof value === 'number' && isTime(name)) return value + (value < millisecondsFrom ? Math.round(by / 1000) : by);
  if (value instanceof Date) return new Date(value.getTime() + by);
  if (Array.isArray(value)) return value.map((entry) => shift(entry, by));
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shift(member, by, key)]));
}

/** The journal as if the release had been killed half an hour ago, so that its Idempotency-Keys and tokens are still valid. */
export function journalAsOfNow(journal: Buffer): Buffer {
  const by = Date.now() - readAt;
  const frames: Buffer[] = [journal.subarray(0, magicLength)];
  for (let at = magicLength; at < journal.length;) {
    const end = at + headSize + journal.readUInt32LE(at);
    const records = [...recordsOf(journal.subarray(at + headSize, end))];
    frames.push(
      frameOf(
        records.map((record) =>
          record.kind === kinds.put
            ? makeRecord(record.kind, record.subject, shift(decode(record.raw), by) as Doc)
            : record,
        ),
      ),
    );
    at = end;
  }
  return Buffer.concat(frames);
}

export const linesAsOfNow = (lines: string): string => {
  const by = Date.now() - readAt;
  const shifted = lines.split('\n').map((line) => (line ? JSON.stringify(shift(JSON.parse(line), by)) : line));
  return shifted.join('\n');
};
