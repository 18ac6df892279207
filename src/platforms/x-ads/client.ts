import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { z } from 'zod';
import { PlatformError } from '../error.ts';
import { jsonOf, type Answer, type Upstream, type UpstreamCall } from '../http.ts';
import type { Access, UpstreamRequest } from '../platform.ts';
import { orUnknownOutcome } from '../response.ts';
import { parseResponse } from './errors.ts';
import type { Quota } from './quota.ts';
import { authorization, type SigningKeys } from './signature.ts';
import { pageOf } from './wire.ts';

/** Parameters; undefined ones are omitted, lists become comma-separated. */
export type Params = Record<string, string | number | boolean | undefined>;

export interface Client {
  /** Reads, or with POST requests a report, which may be repeated. */
  read: <T>(
    access: Access,
    path: string,
    call: { schema: z.ZodType<T>; params?: Params; method?: 'GET' | 'POST' },
  ) => Promise<T>;
  /** Reads a compressed file, whose address needs no credentials. */
  download: <T>(url: string, schema: z.ZodType<T>) => Promise<T>;
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

const unzip = promisify(gunzip);
const pageSize = 1000;
const maxPages = 1000;

interface Upstreams {
  api: Upstream;
  /** For files of reports, which are larger than other responses. */
  files: Upstream;
}

export function createClient({ api, files }: Upstreams, config: XAdsConfig, quota: Quota): Client {
  const pathOf = (path: string): string => `/${config.version}/${path}`;
  const urlOf = (path: string): string => config.baseUrl.replace(/\/$/, '') + pathOf(path);
  const signed = (access: Access, method: string, path: string, params: Record<string, string>) => () => ({
    authorization: authorization({ method, url: urlOf(path), params }, keysOf(config, access)),
  });
  const send = async (access: Access, path: string, call: Omit<UpstreamCall, 'path'>): Promise<Answer> => {
    const counted = { method: call.method, path };
    await quota.take(access, counted);
    const answer = await api.call({ ...call, path: pathOf(path) });
    await quota.note(access, counted, answer);
    return answer;
  };
  const read: Client['read'] = async (access, path, { schema, params = {}, method = 'GET' }) => {
    const query = asText(params);
    const headers = signed(access, method, path, query);
    const answer = await send(access, path, { method, query, headers, isSafe: true });
    return parseResponse(schema, answer, { isWrite: false, token: access.token });
  };
  return {
    read,
    download: async (url, schema) => readFile(await files.call({ method: 'GET', path: url }), schema),
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

const largestFile = 256_000_000;

async function readFile<T>({ status, bytes }: Answer, schema: z.ZodType<T>): Promise<T> {
  if (status === 404) throw new PlatformError('E', 'not_found', 'The file of the report has expired', { status });
  const content = status < 300 && bytes ? await unzip(bytes, { maxOutputLength: largestFile }).catch(() => '') : '';
  const file = schema.safeParse(jsonOf(String(content)));
  if (file.success) return file.data;
  throw new PlatformError('E', 'unavailable', 'The platform returned an unreadable report', { status });
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
