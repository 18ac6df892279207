import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Received } from './platform.ts';

type Read = Pick<Received, 'body' | 'json' | 'form' | 'bytes'>;

/** Parses a request for its platform. */
export async function received(c: Context<{ Bindings: HttpBindings }>, name: string): Promise<Received> {
  const headers = c.req.header();
  // A repeated parameter is read like a comma-separated list.
  const query = Object.fromEntries(Object.entries(c.req.queries()).map(([name, values]) => [name, values.join(',')]));
  const read: Read =
    c.req.method === 'GET'
      ? { body: {}, form: {}, bytes: Buffer.alloc(0) }
      : await readBody(c, headers['content-type']);
  const { pathname, origin, search } = new URL(c.req.url);
  return {
    method: c.req.method,
    path: pathname.slice(name.length + 1),
    query,
    rawQuery: search.slice(1),
    headers,
    url: origin + pathname,
    token: tokenIn(headers, query, read.body),
    ...read,
  };
}

function tokenIn(
  headers: Record<string, string>,
  query: Record<string, string>,
  body: Record<string, unknown>,
): string | undefined {
  const { authorization = '' } = headers;
  const signed = /oauth_token="([^"]+)"/.exec(authorization)?.[1];
  return (
    /^Bearer (.+)$/.exec(authorization)?.[1] ??
    (signed === undefined ? undefined : decodeURIComponent(signed)) ??
    headers['access-token'] ??
    query['access_token'] ??
    (typeof body['access_token'] === 'string' ? body['access_token'] : undefined)
  );
}

/** An unparsable body has no fields, so the platform reports missing parameters. */
async function readBody(c: Context, type = ''): Promise<Read> {
  if (type.includes('multipart/')) {
    const parts = await c.req.parseBody().catch(() => ({}));
    const body = Object.fromEntries(await Promise.all(Object.entries(parts).map(fromPart)));
    return { body, form: {}, bytes: Buffer.alloc(0) };
  }
  const bytes = Buffer.from(await c.req.arrayBuffer());
  if (type.includes('json')) {
    const json = fromForm(bytes.toString('utf8'));
    const isObject = json !== null && typeof json === 'object' && !Array.isArray(json);
    return { body: isObject ? (json as Record<string, unknown>) : {}, json, form: {}, bytes };
  }
  if (type !== '' && !type.includes('urlencoded')) return { body: {}, form: {}, bytes };
  const form = Object.fromEntries(new URLSearchParams(bytes.toString('utf8')));
  const body = Object.fromEntries(Object.entries(form).map(([key, value]) => [key, fromForm(value)]));
  return { body, form, bytes };
}

/** A file becomes base64 under its field name. */
async function fromPart([name, part]: [string, File | string]): Promise<[string, unknown]> {
  if (typeof part === 'string') return [name, fromForm(part)];
  return [name, Buffer.from(await part.arrayBuffer()).toString('base64')];
}

/** Objects and lists are JSON text in forms. */
const fromForm = (value: string): unknown => {
  if (!/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};
