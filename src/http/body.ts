import type { IncomingMessage } from 'node:http';
import { AppError } from '../contract/error.ts';

export const maxBodyBytes = 1024 * 1024;

const tooLarge = (): AppError => new AppError('body_too_large', `A body may hold at most ${maxBodyBytes} bytes`);
const notJson = (why: string): AppError => new AppError('invalid_json_body', `The body is not valid JSON: ${why}`);

/** Reads a body of at most 1 MiB; the rest of a larger one is left unread. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
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
  const value = parseJson(decode(body));
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw notJson('expected an object');
  return value as Record<string, unknown>;
}

function decode(body: Buffer): string {
  try {
    // The decoder drops a leading byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
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
