import type { IncomingMessage } from 'node:http';
import { AppError, shortened } from '../contract/error.ts';

export const maxBodyBytes = 1024 * 1024;
export const maxBodyValues = 20_000;
export const maxBodyDepth = 64;

const tooLarge = (): AppError =>
  new AppError('body_too_large', `The request body must not exceed ${maxBodyBytes} bytes`);
const notJson = (why: string): AppError => new AppError('invalid_json_body', `The body is not valid JSON: ${why}`);

const arrived = new WeakMap<IncomingMessage, Buffer>();
const maxArrivedBytes = 16 * 1024;

/** A short body that came together with its headers, so that nothing waits for it. */
export function arrivedBody(request: IncomingMessage): Buffer | undefined {
  const known = arrived.get(request);
  const { readableLength: length } = request;
  const isWhole = request.complete || length === Number(request.headers['content-length']);
  if (known || !isWhole || length > maxArrivedBytes) return known;
  const body = (request.read() as Buffer | null) ?? Buffer.alloc(0);
  arrived.set(request, body);
  // Node closes the connection of a request that is not read to its end.
  request.resume();
  return body;
}

/** Reads a body of at most 1 MiB; the rest of a larger one is left unread. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const body = arrivedBody(request);
  if (body) return body;
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    // An async iterator would cost more than the rest of the parsing of a small body.
    request
      .on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= maxBodyBytes) return void chunks.push(chunk);
        request.removeAllListeners('data').pause();
        reject(tooLarge());
      })
      .once('end', () => resolve(Buffer.concat(chunks)))
      .once('error', reject);
  });
}

/** Checks that a body says it is JSON; a request without a body needs no content type. */
export function requireJson(request: IncomingMessage, body: Buffer): void {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding');
  }
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (body.length > 0 && type.trim().toLowerCase() !== 'application/json') {
    throw new AppError('unsupported_media_type', 'Send the body as Content-Type: application/json');
  }
}

/** The JSON object in a body; an empty body is an empty object, a byte order mark is skipped. */
export function parseJsonObject(body: Buffer): Record<string, unknown> {
  if (body.length === 0) return {};
  const members = requireFewValues(body);
  const text = decode(body);
  const value = parseJson(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw notJson('expected an object');
  // JSON.parse takes the last of several, another reader of the same body the first.
  if (membersIn(value) < members) {
    const name = shortened(JSON.stringify(repeatedIn(text)), 200);
    throw new AppError('invalid_json_body', `The body has the member ${name} twice in one object`);
  }
  return value as Record<string, unknown>;
}

/** The members of an object and of all objects in it. */
const membersIn = (value: unknown): number => {
  if (value === null || typeof value !== 'object') return 0;
  const inner = Object.values(value);
  return inner.reduce<number>((sum, one) => sum + membersIn(one), Array.isArray(value) ? 0 : inner.length);
};

/** The first name that an object in a valid JSON text has twice. */
function repeatedIn(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, string, isName] of text.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (string && isName) {
      const name = JSON.parse(string) as string;
      if (open.at(-1)?.has(name)) return name;
      open.at(-1)?.add(name);
    }
  }
  return undefined;
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts the values before JSON.parse builds them: a megabyte of brackets would take a hundred times its size in memory.
 * Returns the number of members of all objects.
 */
function requireFewValues(body: Buffer): number {
  let [values, depth, members] = [1, 0, 0];
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === quote) at = endOfString(body, at);
    else if (byte === comma) values += 1;
    else if (byte === colon) members += 1;
    else if (byte === closeList || byte === closeObject) depth -= 1;
    else if (byte === openList || byte === openObject) {
      values += 1;
      depth += 1;
      if (depth > maxBodyDepth) throw notJson(`it nests deeper than ${maxBodyDepth} levels`);
    }
    if (values > maxBodyValues) throw new AppError('body_too_large', `A body may hold at most ${maxBodyValues} values`);
  }
  return members;
}

/** The index of a string's closing quote, or the end of the body if there is none. */
function endOfString(body: Buffer, start: number): number {
  for (let at = start + 1; at < body.length; at += 1) {
    if (body[at] === backslash) at += 1;
    else if (body[at] === quote) return at;
  }
  return body.length;
}

/** Drops a leading byte order mark. */
const decoder = new TextDecoder('utf-8', { fatal: true });

function decode(body: Buffer): string {
  try {
    return decoder.decode(body);
  } catch (error) {
    throw new AppError('invalid_json_body', 'The body is not valid UTF-8', {}, { cause: error });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(error instanceof Error ? error.message : 'unreadable');
  }
}
