import type { Batch } from './cursors.ts';
import { decode, encode, type Doc } from './values.ts';

/** The wire protocol: OP_MSG, and the OP_QUERY and OP_REPLY pair of the drivers' handshake. */
const opcodes = { reply: 1, query: 2004, message: 2013 } as const;
const flags = { checksum: 1, moreToCome: 2 } as const;
const headerSize = 16;
export const largestMessage = 48_000_000;

export interface Request {
  id: number;
  isGreeting: boolean;
  command: Doc;
  /** Document sequences of the command as raw BSON. */
  sequences: Map<string, Uint8Array[]>;
  /** Whether the sender expects no reply. */
  isSilent: boolean;
}

export function parseMessage(message: Buffer): Request {
  const id = message.readInt32LE(4);
  const opcode = message.readInt32LE(12);
  if (opcode === opcodes.query) return parseQuery(id, message);
  if (opcode !== opcodes.message) throw new Error(`unsupported opcode ${opcode}`);
  const bits = message.readUInt32LE(headerSize);
  if (bits & 0xffff & ~(flags.checksum | flags.moreToCome)) throw new Error('unknown required flag bits');
  const end = message.length - (bits & flags.checksum ? 4 : 0);
  const sequences = new Map<string, Uint8Array[]>();
  let command: Doc | undefined;
  for (let at = headerSize + 4; at < end;) {
    const section = sized(message, at + 1, end);
    const kind = message.readUInt8(at);
    if (kind === 0) command = decode(section);
    else if (kind === 1) sequences.set(...parseSequence(section));
    else throw new Error(`unknown section kind ${kind}`);
    at += 1 + section.length;
  }
  if (!command) throw new Error('a message without a command');
  return { id, isGreeting: false, command, sequences, isSilent: (bits & flags.moreToCome) !== 0 };
}

/** A section of a message that starts with its size. */
function sized(message: Buffer, at: number, end: number): Buffer {
  const size = message.readInt32LE(at);
  if (size < 5 || at + size > end) throw new Error('a section overruns its message');
  return message.subarray(at, at + size);
}

function parseSequence(section: Buffer): [name: string, docs: Uint8Array[]] {
  const zero = section.indexOf(0, 4);
  const docs: Uint8Array[] = [];
  for (let at = zero + 1; at < section.length; at += docs.at(-1)?.length ?? 0)
    docs.push(sized(section, at, section.length));
  return [section.toString('utf8', 4, zero), docs];
}

function parseQuery(id: number, message: Buffer): Request {
  const zero = message.indexOf(0, headerSize + 4);
  const database = message.toString('utf8', headerSize + 4, zero).split('.')[0];
  const command = decode(sized(message, zero + 9, message.length));
  return { id, isGreeting: true, command: { ...command, $db: database }, sequences: new Map(), isSilent: false };
}

export function frameReply(request: Request, reply: Uint8Array): Buffer {
  const head = Buffer.alloc(headerSize + (request.isGreeting ? 20 : 5));
  head.writeInt32LE(head.length + reply.length, 0);
  head.writeInt32LE(request.id, 8);
  head.writeInt32LE(request.isGreeting ? opcodes.reply : opcodes.message, 12);
  if (request.isGreeting) head.writeInt32LE(1, 32);
  return Buffer.concat([head, reply]);
}

/** Splits a stream of bytes into messages. */
export class Deframer {
  #bytes: Buffer[] = [];
  #size = 0;

  push(chunk: Buffer): Buffer[] {
    this.#bytes.push(chunk);
    this.#size += chunk.length;
    const messages: Buffer[] = [];
    for (let length = this.#nextLength(); length <= this.#size; length = this.#nextLength()) {
      const bytes = this.#bytes.length === 1 && this.#bytes[0] ? this.#bytes[0] : Buffer.concat(this.#bytes);
      messages.push(bytes.subarray(0, length));
      this.#bytes = [bytes.subarray(length)];
      this.#size -= length;
    }
    return messages;
  }

  #nextLength(): number {
    if (this.#size < headerSize) return Infinity;
    if ((this.#bytes[0]?.length ?? 0) < headerSize) this.#bytes = [Buffer.concat(this.#bytes)];
    const length = this.#bytes[0]?.readInt32LE(0) ?? 0;
    if (length < headerSize || length > largestMessage) throw new Error(`bad message length ${length}`);
    return length;
  }
}

const element = (type: number, name: string, value: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([type]), Buffer.from(`${name}\0`), value]);

function container(elements: Uint8Array[]): Buffer {
  const size = elements.reduce((sum, { length }) => sum + length, 5);
  const head = Buffer.alloc(4);
  head.writeInt32LE(size);
  return Buffer.concat([head, ...elements, Buffer.from([0])], size);
}

/** Encodes a cursor reply around encoded BSON documents. */
export function encodeBatch({ name, docs, id, namespace }: Batch): Uint8Array {
  const int64 = Buffer.alloc(8);
  int64.writeBigInt64LE(id);
  const items = docs.map((doc, i) => element(3, String(i), doc));
  const rest = encode({ ns: namespace });
  const cursor = container([element(4, name, container(items)), element(18, 'id', int64), rest.subarray(4, -1)]);
  return container([element(3, 'cursor', cursor), encode({ ok: 1 }).subarray(4, -1)]);
}
