import type { z } from 'zod';
import { PlatformError } from '../error.ts';
import { defined, type Fields } from '../fields.ts';
import type { Answer, Upstream } from '../http.ts';
import type { Access, UpstreamRequest } from '../platform.ts';
import { orUnknownOutcome } from '../response.ts';
import { elementRefused, parseResponse } from './errors.ts';
import { Elements, pageOf } from './wire.ts';

export type { Fields } from '../fields.ts';
type Query = Record<string, string | string[]>;

export interface Client {
  read: <T>(access: Access, path: string, call: { schema: z.ZodType<T>; query?: Query }) => Promise<T>;
  write: <T>(access: Access, path: string, call: { schema: z.ZodType<T>; fields: Fields; query?: Query }) => Promise<T>;
  /** Creates one object through a bulk endpoint; returns its id. */
  create: (access: Access, path: string, fields: Fields) => Promise<string>;
  /** Updates one object through a bulk endpoint. */
  change: (access: Access, path: string, fields: Fields) => Promise<void>;
  /** Reads figures: large responses, whose numbers may be longer than a number of JavaScript. */
  figures: <T>(access: Access, path: string, call: { schema: z.ZodType<T>; query: Query }) => Promise<T>;
  /** Requests a report. It changes nothing, so it may be repeated. */
  ask: <T>(access: Access, path: string, call: { schema: z.ZodType<T>; fields: Fields }) => Promise<T>;
  /** Downloads the file of a report, whose address needs no credentials. */
  download: <T>(url: string, schema: z.ZodType<T>) => Promise<T>;
  pages: <T>(access: Access, path: string, call: { item: z.ZodType<T>; query?: Query }) => AsyncGenerator<T[]>;
  show: (path: string, body: Fields, query?: Record<string, string>) => UpstreamRequest;
  /** Shows a single-element bulk request. */
  showElement: (path: string, body: Fields) => UpstreamRequest;
}

const pageSize = '250';
const maxPages = 4000;

export interface ClientOptions {
  baseUrl: string;
  version: string;
  /** Accepts larger responses. */
  large?: Upstream;
}

export function createClient(upstream: Upstream, { baseUrl, version, large = upstream }: ClientOptions): Client {
  const pathOf = (path: string): string => `/${version}/${path}`;
  const urlOf = (path: string, query: Record<string, string> = {}): string => {
    const asked = new URLSearchParams(query).toString();
    return `${baseUrl.replace(/\/$/, '')}${pathOf(path)}${asked && `?${asked}`}`;
  };
  const read: Client['read'] = async ({ token }, path, { schema, query }) =>
    parseResponse(schema, await upstream.call({ method: 'GET', path: pathOf(path), query, token }), {
      isWrite: false,
      token,
    });
  return {
    read,
    async write({ token }, path, { schema, fields, query }) {
      const json = defined(fields);
      const answer = await upstream.call({ method: 'POST', path: pathOf(path), json, query, token });
      return parseResponse(schema, answer, { isWrite: true, token });
    },
    async figures({ token }, path, { schema, query }) {
      const answer = await large.call({ method: 'GET', path: pathOf(path), query, token });
      return parseResponse(schema, withLongNumbers(answer), { isWrite: false, token });
    },
    async ask({ token }, path, { schema, fields }) {
      const json = defined(fields);
      const answer = await upstream.call({ method: 'POST', path: pathOf(path), json, token, isSafe: true });
      return parseResponse(schema, answer, { isWrite: false, token });
    },
    async download(url, schema) {
      const answer = await large.call({ method: 'GET', path: url });
      return parseResponse(schema, withLongNumbers(answer), { isWrite: false, token: '' });
    },
    async create({ token }, path, fields) {
      const asked = { isWrite: true, token };
      const answer = await upstream.call({ method: 'POST', path: pathOf(path), json: [defined(fields)], token });
      const [made] = parseResponse(Elements, answer, asked).items;
      const [exception] = made?.exceptions ?? [];
      // An id next to an exception means that the outcome is unknown.
      if (exception && !made?.data?.id) throw elementRefused(exception, asked);
      if (made?.data?.id && !exception) return made.data.id;
      throw missingId('created');
    },
    async change({ token }, path, fields) {
      const asked = { isWrite: true, token };
      const json = [defined(fields)];
      const answer = await upstream.call({ method: 'PATCH', path: pathOf(path), json, token, isRepeatable: true });
      orUnknownOutcome(answer, () => {
        const { items } = parseResponse(Elements, answer, asked);
        const [exception] = items.flatMap((item) => item.exceptions);
        if (exception) throw elementRefused(exception, asked);
        if (!items.some(({ data }) => data?.id === fields['id'])) throw missingId('updated');
      });
    },
    async *pages(access, path, { item, query }) {
      let bookmark: string | undefined;
      for (let page = 0; page < maxPages; page += 1) {
        const answer = await read(access, path, {
          schema: pageOf(item),
          query: { page_size: pageSize, ...query, ...(bookmark && { bookmark }) },
        });
        yield answer.items;
        if (!answer.bookmark) return;
        bookmark = answer.bookmark;
      }
      // A truncated list would make an existing object look missing.
      throw new PlatformError('C', 'unavailable', 'The platform returned an incomplete list');
    },
    show: (path, body, query = {}) => ({ method: 'POST', url: urlOf(path, query), body: defined(body) }),
    showElement: (path, body) => ({ method: 'POST', url: urlOf(path), body: [defined(body)] }),
  };
}

/** Keeps integers and ids that a number of JavaScript cannot hold, as text. Rows of figures have no other text. */
const withLongNumbers = (answer: Answer): Answer => ({
  ...answer,
  body: answer.status < 300 ? exactJson(answer.text) : answer.body,
});

function exactJson(text = ''): unknown {
  try {
    return JSON.parse(text.replaceAll(/([:[,]\s*)(-?\d{16,})(?=\s*[,\]}])/g, '$1"$2"'));
  } catch {
    return undefined;
  }
}

const missingId = (what: 'created' | 'updated'): PlatformError =>
  new PlatformError('C', 'unknown_outcome', `The platform did not return the id of the ${what} object`);
