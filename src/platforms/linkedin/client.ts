import { z } from 'zod';
import { PlatformError } from '../error.ts';
import { defined, type Fields } from '../fields.ts';
import type { Answer, Upstream, UpstreamCall } from '../http.ts';
import type { Access, UpstreamRequest } from '../platform.ts';
import { orUnknownOutcome } from '../response.ts';
import { parseResponse, requireGood } from './errors.ts';

export type { Fields } from '../fields.ts';

export interface Client {
  read: <T>(access: Access, path: string, schema: z.ZodType<T>, method?: 'FINDER') => Promise<T>;
  /** Sends a write whose response has a body. */
  ask: <T>(access: Access, path: string, call: { schema: z.ZodType<T>; fields: Fields }) => Promise<T>;
  /** Creates an object; its id is in a response header. */
  create: (access: Access, path: string, fields: Fields) => Promise<string>;
  /** Sends a write that creates nothing; its response has no content. */
  act: (access: Access, path: string, fields: Fields) => Promise<void>;
  /** Updates single fields; idempotent. */
  patch: (access: Access, path: string, fields: Fields) => Promise<void>;
  /** Deletes an object; a repetition is answered with 404. */
  remove: (access: Access, path: string) => Promise<void>;
  put: (access: Access, path: string, call: { fields?: Fields; bytes?: Buffer }) => Promise<{ etag?: string }>;
  /** Pages of a search, whose method some of them must name; the path contains its criteria. */
  pages: <T>(access: Access, path: string, call: { item: z.ZodType<T>; pageSize: number }) => AsyncGenerator<T[]>;
  /** Lists paginated by offset instead of a token. */
  countedPages: Client['pages'];
  show: (path: string, body: Fields, method?: string) => UpstreamRequest;
}

const uploadTimeoutFactor = 6;
const maxPages = 1000;

export function createClient(upstream: Upstream, { baseUrl, version }: { baseUrl: string; version: string }): Client {
  const versions = { 'linkedin-version': version, 'x-restli-protocol-version': '2.0.0' };
  const send = (access: Access, call: Omit<UpstreamCall, 'token'>) =>
    upstream.call({
      ...call,
      token: access.token,
      headers: { ...versions, ...(call.headers as Record<string, string>) },
    });
  const read: Client['read'] = async (access, path, schema, method) => {
    const headers = method && { 'x-restli-method': method };
    const answer = await send(access, { method: 'GET', path: `/${path}`, headers });
    return parseResponse(schema, answer, { isWrite: false, token: access.token });
  };
  return {
    read,
    async ask(access, path, { schema, fields }) {
      const answer = await send(access, { method: 'POST', path: `/${path}`, json: defined(fields) });
      return parseResponse(schema, answer, { isWrite: true, token: access.token });
    },
    async create(access, path, fields) {
      const answer = await send(access, { method: 'POST', path: `/${path}`, json: defined(fields) });
      requireGood(answer, { isWrite: true, token: access.token });
      const id = answer.headers['x-restli-id'] ?? answer.headers['x-linkedin-id'];
      if (typeof id === 'string' && id !== '') return decodeURIComponent(id);
      throw new PlatformError('F', 'unknown_outcome', 'The platform did not return the id of the created object');
    },
    async act(access, path, fields) {
      const answer = await send(access, { method: 'POST', path: `/${path}`, json: defined(fields) });
      requireGood(answer, { isWrite: true, token: access.token });
    },
    async patch(access, path, fields) {
      const answer = await send(access, {
        method: 'POST',
        path: `/${path}`,
        json: { patch: { $set: defined(fields) } },
        headers: { 'x-restli-method': 'PARTIAL_UPDATE' },
        isRepeatable: true,
      });
      orUnknownOutcome(answer, () => requireGood(answer, { isWrite: true, token: access.token }));
      requireEmptyBody(answer);
    },
    async remove(access, path) {
      const headers = { 'x-restli-method': 'DELETE' };
      const answer = await send(access, { method: 'DELETE', path: `/${path}`, headers, isRepeatable: true });
      orUnknownOutcome(answer, () => requireGood(answer, { isWrite: true, token: access.token }));
      requireEmptyBody(answer);
    },
    async put(access, path, { fields, bytes }) {
      const where = /^https?:/.test(path) ? path : `/${path}`;
      const body = bytes ? { bytes, headers: { 'content-type': 'application/octet-stream' } } : { json: fields };
      const answer = await send(access, {
        method: 'PUT',
        path: where,
        ...body,
        isRepeatable: true,
        isSafe: bytes !== undefined,
        timeoutFactor: uploadTimeoutFactor,
      });
      orUnknownOutcome(answer, () => requireGood(answer, { isWrite: bytes === undefined, token: access.token }));
      const { etag } = answer.headers;
      return { etag: typeof etag === 'string' ? etag : undefined };
    },
    async *pages(access, path, { item, pageSize }) {
      const Page = z.object({
        elements: z.array(item),
        metadata: z.object({ nextPageToken: z.string().optional().nullable() }).optional(),
      });
      let token: string | undefined;
      for (let page = 0; page < maxPages; page += 1) {
        const next = token === undefined ? '' : `&pageToken=${encodeURIComponent(token)}`;
        const answer = await read(access, `${path}&pageSize=${pageSize}${next}`, Page, 'FINDER');
        yield answer.elements;
        token = answer.metadata?.nextPageToken ?? undefined;
        if (!token) return;
      }
      throw incompleteList();
    },
    async *countedPages(access, path, { item, pageSize }) {
      const Page = z.object({ elements: z.array(item) });
      for (let page = 0; page < maxPages; page += 1) {
        const { elements } = await read(access, `${path}&start=${page * pageSize}&count=${pageSize}`, Page, 'FINDER');
        yield elements;
        if (elements.length < pageSize) return;
      }
      throw incompleteList();
    },
    show: (path, body, method = 'POST') => ({
      method,
      url: `${baseUrl.replace(/\/$/, '')}/${path}`,
      body: defined(body),
    }),
  };
}

/** A successful update or deletion has an empty body; anything else is a proxy page or an error. */
function requireEmptyBody({ status, text }: Answer): void {
  if (text === '') return;
  throw new PlatformError('F', 'unknown_outcome', 'The platform returned an unreadable response', { status });
}

/** A truncated list would make an existing object look missing. */
const incompleteList = (): PlatformError =>
  new PlatformError('F', 'unavailable', 'The platform returned an incomplete list');
