import type { z } from 'zod';
import { PlatformError } from '../error.ts';
import type { Answer, Upstream, UpstreamCall } from '../http.ts';
import type { Access, UpstreamRequest } from '../platform.ts';
import { orUnknownOutcome } from '../response.ts';
import { parseResponse } from './errors.ts';
import type { Quota } from './quota.ts';
import { authorization, type SigningKeys } from './signature.ts';
import { pageOf } from './wire.ts';

/** Parameters; undefined ones are omitted, lists become comma-separated. */
export type Params = Record<string, string | number | boolean | undefined>;

export interface Client {
  read: <T>(access: Access, path: string, call: { schema: z.ZodType<T>; params?: Params }) => Promise<T>;
  write: <T>(
    access: Access,
    path: string,
    call: { schema: z.ZodType<T>; method?: 'POST' | 'PUT' | 'DELETE'; params?: Params; json?: unknown },
  ) => Promise<T>;
  pages: <T>(access: Access, path: string, call: { item: z.ZodType<T>; params?: Params }) => AsyncGenerator<T[]>;
  show: (path: string, body: Params, method?: string) => UpstreamRequest;
}

export interface XAdsConfig {
  /** Request timeout. */
  timeoutMs?: number;
  baseUrl: string;
  version: string;
  clientId?: string;
  clientSecret?: string;
}

const pageSize = 1000;
const maxPages = 1000;

export function createClient(upstream: Upstream, config: XAdsConfig, quota: Quota): Client {
  const pathOf = (path: string): string => `/${config.version}/${path}`;
  const urlOf = (path: string): string => config.baseUrl.replace(/\/$/, '') + pathOf(path);
  const signed = (access: Access, method: string, path: string, params: Record<string, string>) => () => ({
    authorization: authorization({ method, url: urlOf(path), params }, keysOf(config, access)),
  });
  const send = async (access: Access, path: string, call: Omit<UpstreamCall, 'path'>): Promise<Answer> => {
    const counted = { method: call.method, path };
    await quota.take(access, counted);
    const answer = await upstream.call({ ...call, path: pathOf(path) });
    await quota.note(access, counted, answer);
    return answer;
  };
  const read: Client['read'] = async (access, path, { schema, params = {} }) => {
    const query = asText(params);
    const headers = signed(access, 'GET', path, query);
    const answer = await send(access, path, { method: 'GET', query, headers });
    return parseResponse(schema, answer, { isWrite: false, token: access.token });
  };
  return {
    read,
    async write(access, path, { schema, method = 'POST', params = {}, json }) {
      const form = asText(params);
      const headers = signed(access, method, path, json === undefined ? form : {});
      const isRepeatable = method !== 'POST';
      const body = method === 'DELETE' ? {} : json === undefined ? { form } : { json };
      const answer = await send(access, path, { method, ...body, headers, isRepeatable });
      return orUnknownOutcome(answer, () => parseResponse(schema, answer, { isWrite: true, token: access.token }));
    },
    async *pages(access, path, { item, params }) {
      let cursor: string | undefined;
      for (let page = 0; page < maxPages; page += 1) {
        const answer = await read(access, path, {
          schema: pageOf(item),
          params: { ...params, count: pageSize, cursor },
        });
        yield answer.data;
        if (!answer.next_cursor) return;
        cursor = answer.next_cursor;
      }
      // A truncated list would make an existing object look missing.
      throw new PlatformError('E', 'unavailable', 'The platform returned an incomplete list');
    },
    show: (path, body, method = 'POST') => ({ method, url: urlOf(path), body: asText(body) }),
  };
}

const keysOf = (
  { clientId = '', clientSecret = '' }: XAdsConfig,
  { token, tokenSecret = '' }: Access,
): SigningKeys => ({
  consumerKey: clientId,
  consumerSecret: clientSecret,
  token,
  tokenSecret,
});

const asText = (params: Params): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
