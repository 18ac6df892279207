import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/dev/mongo-server/values.ts';
import { Deframer, encodeBatch, frameReply, parseMessage } from '../../../src/dev/mongo-server/wire.ts';

function header(opcode: number, body: Buffer): Buffer {
  const head = Buffer.alloc(16);
  head.writeInt32LE(16 + body.length, 0);
  head.writeInt32LE(7, 4);
  head.writeInt32LE(opcode, 12);
  return Buffer.concat([head, body]);
}
const flagsOf = (bits: number): Buffer => Buffer.from([bits, 0, 0, 0]);
const section = (doc: Record<string, unknown>): Buffer => Buffer.concat([Buffer.from([0]), encode(doc)]);
function sequence(name: string, docs: Record<string, unknown>[]): Buffer {
  const body = Buffer.concat([Buffer.from(`${name}\0`), ...docs.map(encode)]);
  const size = Buffer.alloc(4);
  size.writeInt32LE(4 + body.length);
  return Buffer.concat([Buffer.from([1]), size, body]);
}
const message = (bits: number, ...sections: Buffer[]): Buffer =>
  header(2013, Buffer.concat([flagsOf(bits), ...sections]));

describe('a message', () => {
  it('carries a command and lists beside it', () => {
    const request = parseMessage(message(2, section({ insert: 'x' }), sequence('documents', [{ a: 1 }, { a: 2 }])));
    expect(request).toMatchObject({ id: 7, command: { insert: 'x' }, isSilent: true, isGreeting: false });
    expect(request.sequences.get('documents')?.map(decode)).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('may end with a checksum', () => {
    const request = parseMessage(message(1, section({ ping: 1 }), Buffer.alloc(4)));
    expect(request).toMatchObject({ command: { ping: 1 }, isSilent: false });
  });

  it('may be a greeting of the old kind, which is answered in kind', () => {
    const body = Buffer.concat([flagsOf(0), Buffer.from('admin.$cmd\0'), Buffer.alloc(8), encode({ isMaster: 1 })]);
    const request = parseMessage(header(2004, body));
    expect(request).toMatchObject({ command: { isMaster: 1, $db: 'admin' }, isGreeting: true });
    const reply = frameReply(request, encode({ ok: 1 }));
    expect([reply.readInt32LE(0), reply.readInt32LE(8), reply.readInt32LE(12)]).toEqual([reply.length, 7, 1]);
    expect(decode(reply.subarray(36))).toEqual({ ok: 1 });
  });

  it.each([
    ['an unknown opcode', 'unsupported opcode 2001', header(2001, Buffer.alloc(4))],
    ['an unknown flag', 'unknown required flag', message(4, section({ ping: 1 }))],
    ['an unknown section', 'unknown section kind 9', message(0, Buffer.concat([Buffer.from([9]), encode({})]))],
    ['no command', 'without a command', message(0, sequence('documents', [{ a: 1 }]))],
    ['a section longer than itself', 'overruns', message(0, Buffer.from([0, 255, 0, 0, 0]))],
  ])('with %s is refused', (_what, reason, bytes) => {
    expect(() => parseMessage(bytes)).toThrow(reason);
  });
});

describe('a stream of bytes', () => {
  it('is split into messages wherever it is cut', () => {
    const messages = [
      message(0, section({ a: 1 })),
      message(0, section({ b: 'x'.repeat(50) })),
      message(0, section({ c: 1 })),
    ];
    const bytes = Buffer.concat(messages);
    for (const size of [1, 3, 15, 16, 17, 64, bytes.length]) {
      const deframer = new Deframer();
      const got: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) got.push(...deframer.push(bytes.subarray(at, at + size)));
      expect(got.map((each) => parseMessage(each).command)).toEqual(messages.map((each) => parseMessage(each).command));
    }
  });

  it.each([15, 48_000_001, -1])('with a message of %d bytes is refused', (length) => {
    const bytes = Buffer.alloc(16);
    bytes.writeInt32LE(length);
    expect(() => new Deframer().push(bytes)).toThrow('bad message length');
  });
});

describe('a batch', () => {
  it('is encoded around documents that stay as they are', () => {
    const docs = [{ _id: 1 }, { _id: 2, text: 'é' }];
    const reply = decode(encodeBatch({ name: 'firstBatch', docs: docs.map(encode), id: 12n, namespace: 'db.c' }));
    expect(reply).toMatchObject({ cursor: { firstBatch: docs, ns: 'db.c' }, ok: 1 });
    expect(String(reply.cursor.id)).toBe('12');
  });
});
