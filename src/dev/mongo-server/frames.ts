import { crc32 } from 'node:zlib';
import { encode, type Doc } from './values.ts';

/** Record kinds; the numbers are part of the file format. */
export const kinds = { put: 1, remove: 2, create: 3, drop: 4, index: 5, dropIndex: 6, reply: 7 } as const;
export interface JournalRecord {
  kind: number;
  /** The namespace, or the session of a reply. */
  subject: string;
  raw: Uint8Array;
}
export const makeRecord = (kind: number, subject: string, doc: Doc): JournalRecord => ({
  kind,
  subject,
  raw: encode(doc),
});

export const headSize = 12;

/** A frame is [length u32][its complement u32][crc32 u32][records]; a record is [kind u8][subject length u16][subject][one BSON document]. */
export function frameOf(records: JournalRecord[]): Buffer {
  const parts = records.flatMap(({ kind, subject, raw }) => {
    const name = Buffer.from(subject);
    const head = Buffer.from([kind, 0, 0]);
    head.writeUInt16LE(name.length, 1);
    return [head, name, raw];
  });
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(headSize);
  head.writeUInt32LE(body.length, 0);
  head.writeInt32LE(~body.length, 4);
  head.writeUInt32LE(crc32(body), 8);
  return Buffer.concat([head, body]);
}

export function* recordsOf(body: Buffer): Generator<JournalRecord> {
  for (let at = 0; at < body.length;) {
    const from = at + 3 + body.readUInt16LE(at + 1);
    const to = from + body.readInt32LE(from);
    yield { kind: body.readUInt8(at), subject: body.toString('utf8', at + 3, from), raw: body.subarray(from, to) };
    at = to;
  }
}
