import type { z } from 'zod';
import { PlatformError } from '../error.ts';
import { defined, type Fields } from '../fields.ts';
import type { Upstream } from '../http.ts';
import type { Limits } from '../../lib/platform-limits.ts';
import type { Access, UpstreamRequest } from '../platform.ts';
import { orUnknownOutcome } from '../response.ts';
import { parseResponse } from './errors.ts';
import { pacing, type CallRates } from './limits.ts';
import { listOf } from './wire.ts';

export type { Fields } from '../fields.ts';

export interface Client {
  read: <T>(access: Access, path: string, call: { schema: z.ZodType<T>; query?: Fields }) => Promise<T>;
  write: <T>(
    access: Access,
    path: string,
    call: { schema: z.ZodType<T>; fields: Fields; isRepeatable?: boolean; timeoutFactor?: number },
  ) => Promise<T>;
  /** Pages of a list; `member` is the platform's name of the list. */
  pages: <T>(
    access: Access,
    path: string,
    call: { item: z.ZodType<T>; query: Fields; member?: string; pageSize?: number },
  ) => AsyncGenerator<T[]>;
  /** A write without credentials, for a dry run. */
  show: (path: string, fields: Fields) => UpstreamRequest;
}

export interface ClientOptions extends CallRates {
  baseUrl: string;
  version: string;
  limits: Limits;
}

const largestPage = 1000;
const maxPages = 4000;

export function createClient(upstream: Upstream, options: ClientOptions): Client {
  const { baseUrl, version } = options;
  const paced = pacing(options.limits, options);
  // The trailing slash is required: without it the platform returns a 404.
  const pathOf = (path: string): string => `/${version}/${path}/`;
  const headersOf = ({ token }: Access): Record<string, string> => ({ 'access-token': token });
  const read: Client['read'] = async (access, path, { schema, query = {} }) => {
    const call = { method: 'GET' as const, path: pathOf(path), query: asQuery(query), headers: headersOf(access) };
    return paced({ path, advertiserId: query['advertiser_id'] }, async () =>
      parseResponse(schema, await upstream.call(call), { isWrite: false, isWhole: true, token: access.token }),
    );
  };
  return {
    read,
    async write(access, path, { schema, fields, isRepeatable, timeoutFactor }) {
      const headers = headersOf(access);
      const json = defined(fields);
      const call = { method: 'POST' as const, path: pathOf(path), json, headers, isRepeatable, timeoutFactor };
      return paced({ path, advertiserId: fields['advertiser_id'] }, async () => {
        await access.beforeWrite?.();
        const answer = await upstream.call(call);
        // A single-object update is atomic; a partial response means an unknown outcome.
        const asked = { isWrite: true, isWhole: isRepeatable, token: access.token };
        return orUnknownOutcome(answer, () => parseResponse(schema, answer, asked));
      });
    },
    async *pages(access, path, { item, query, member = 'list', pageSize = largestPage }) {
      let [page, total] = [1, 0];
      for (let reads = 0; reads < maxPages; reads += 1) {
        const answer = await read(access, path, {
          schema: listOf(item, member),
          query: { ...query, page, page_size: pageSize },
        });
        yield answer.items;
        // Pages have offsets, not cursors: a deletion moves objects onto pages that were already read.
        const back = Math.ceil(Math.max(0, total - answer.total) / pageSize);
        if (back === 0 && page >= answer.totalPages) return;
        page = back > 0 ? Math.max(1, Math.min(page, answer.totalPages) - back) : page + 1;
        ({ total } = answer);
      }
      // A truncated list would make an existing object look missing.
      throw new PlatformError('D', 'unavailable', 'The platform returned an incomplete list');
    },
    show: (path, fields) => ({
      method: 'POST',
      url: `${baseUrl.replace(/\/$/, '')}${pathOf(path)}`,
      body: defined(fields),
    }),
  };
}

/** Lists and objects are JSON text in a query. */
const asQuery = (fields: Fields): Record<string, string> =>
  Object.fromEntries(
    Object.entries(defined(fields)).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
