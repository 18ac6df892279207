import type { z } from 'zod';
import { PlatformError } from '../error.ts';
import type { Upstream } from '../http.ts';
import type { Access, UpstreamRequest } from '../platform.ts';
import { readAnswer } from './errors.ts';
import { listOf } from './wire.ts';

export type Fields = Record<string, unknown>;

export interface Client {
  read: <T>(access: Access, path: string, call: { schema: z.ZodType<T>; query?: Fields }) => Promise<T>;
  write: <T>(
    access: Access,
    path: string,
    call: { schema: z.ZodType<T>; fields: Fields; isRepeatable?: boolean; patience?: number },
  ) => Promise<T>;
  /** A list page by page; `member` is what the platform calls the list. */
  pages: <T>(
    access: Access,
    path: string,
    call: { item: z.ZodType<T>; query: Fields; member?: string; pageSize?: number },
  ) => AsyncGenerator<T[]>;
  /** A write as a person may see it. */
  show: (path: string, fields: Fields) => UpstreamRequest;
}

const largestPage = 1000;
const maxPages = 1000;

export function createClient(upstream: Upstream, { baseUrl, version }: { baseUrl: string; version: string }): Client {
  // The trailing slash belongs to the path: without it there is nothing.
  const pathOf = (path: string): string => `/${version}/${path}/`;
  const headersOf = ({ token }: Access): Record<string, string> => ({ 'access-token': token });
  const read: Client['read'] = async (access, path, { schema, query = {} }) => {
    const call = { method: 'GET' as const, path: pathOf(path), query: asQuery(query), headers: headersOf(access) };
    return readAnswer(schema, await upstream.call(call), { isWrite: false, token: access.token });
  };
  return {
    read,
    async write(access, path, { schema, fields, isRepeatable, patience }) {
      const headers = headersOf(access);
      const json = defined(fields);
      const call = { method: 'POST' as const, path: pathOf(path), json, headers, isRepeatable, patience };
      return readAnswer(schema, await upstream.call(call), { isWrite: !isRepeatable, token: access.token });
    },
    async *pages(access, path, { item, query, member = 'list', pageSize = largestPage }) {
      for (let page = 1; page <= maxPages; page += 1) {
        const answer = await read(access, path, {
          schema: listOf(item, member),
          query: { ...query, page, page_size: pageSize },
        });
        yield answer.items;
        if (page >= answer.totalPages) return;
      }
      // Half a list would let an object that exists pass for one that does not.
      throw new PlatformError('D', 'unavailable', 'The platform did not give the whole list');
    },
    show: (path, fields) => ({
      method: 'POST',
      url: `${baseUrl.replace(/\/$/, '')}${pathOf(path)}`,
      body: defined(fields),
    }),
  };
}

/** Lists and objects travel in a query as JSON text. */
const asQuery = (fields: Fields): Record<string, string> =>
  Object.fromEntries(
    Object.entries(defined(fields)).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );

const defined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
