import type { z } from 'zod';
import { PlatformError } from '../error.ts';
import { orUnknownOutcome } from '../response.ts';
import { defined } from '../fields.ts';
import type { Answer, Upstream, UpstreamCall } from '../http.ts';
import type { Log } from '../../telemetry/log.ts';
import { appProof } from './app-proof.ts';
import type { Access, AdAccount, UpstreamRequest } from '../platform.ts';
import { parseResponse } from './errors.ts';
import type { UsageWatch } from './usage.ts';
import { createVersionWatch } from './version-warning.ts';
import { pageOf, toForm, type Fields } from './wire.ts';

/** Where the usage that responses report is recorded. */
interface Quota {
  usage: UsageWatch;
  adAccountId: string;
}

/** API client for one API version and one token per call. */
export interface Client {
  read: <T>(
    access: Access,
    path: string,
    answer: { schema: z.ZodType<T>; query?: Record<string, string>; quota?: Quota },
  ) => Promise<T>;
  write: <T>(
    access: Access,
    path: string,
    /** `adAccount` is required if the path does not contain it, so that its quota usage is recorded. */
    call: {
      schema: z.ZodType<T>;
      fields: Fields;
      adAccount?: AdAccount;
      isRepeatable?: boolean;
      /** A POST without side effects. */
      isQuery?: boolean;
    },
  ) => Promise<T>;
  /** All items of a list: it ends when `paging.next` is missing, not at a short page. */
  list: <T>(access: Access, path: string, page: { item: z.ZodType<T>; query: Record<string, string> }) => Promise<T[]>;
  pages: <T>(
    access: Access,
    path: string,
    page: { item: z.ZodType<T>; query: Record<string, string>; quota?: Quota },
  ) => AsyncGenerator<T[]>;
  /** A write without credentials, for a dry run. */
  show: (path: string, fields: Fields) => UpstreamRequest;
}

const pageSize = '100';
/** More pages than any account has; stops a cursor that repeats. */
const maxPages = 1000;

export interface ClientOptions {
  baseUrl: string;
  version: string;
  usage: UsageWatch;
  clientSecret?: string;
  /** Receives warnings about the API version. */
  log?: Pick<Log, 'warn'>;
}

export function createClient(
  upstream: Upstream,
  { baseUrl, version, usage, clientSecret, log }: ClientOptions,
): Client {
  const pathOf = (path: string): string => `/${version}/${path}`;
  const noteVersion = createVersionWatch(log);
  const send = async ({ token, clock }: Access, call: UpstreamCall): Promise<Answer> => {
    const query = { ...call.query, ...appProof(token, clientSecret) };
    const answer = await upstream.call({ ...call, path: pathOf(call.path), query, token });
    noteVersion(answer.headers, clock.now());
    return answer;
  };
  const read: Client['read'] = async (access, path, { schema, query, quota }) => {
    const { token } = access;
    const answer = await send(access, { method: 'GET', path, query });
    await quota?.usage.note(quota.adAccountId, answer.headers);
    return parseResponse(schema, answer, { isWrite: false, token });
  };
  const pages: Client['pages'] = async function* (access, path, { item, query, quota }) {
    let after: string | undefined;
    for (let page = 0; page < maxPages; page++) {
      const answer = await read(access, path, {
        schema: pageOf(item),
        query: { limit: pageSize, ...query, ...(after && { after }) },
        quota,
      });
      yield answer.data;
      if (!answer.paging?.next) return;
      after = answer.paging.cursors?.after;
      if (!after) break;
    }
    // A truncated list would make an existing object look missing.
    throw new PlatformError('A', 'unavailable', 'The platform returned an incomplete list');
  };
  return {
    read,
    async write(access, path, { schema, fields, adAccount, isRepeatable, isQuery: isSafe = false }) {
      const { token, beforeWrite } = access;
      await beforeWrite?.();
      const form = toForm(fields);
      const answer = await send(access, { method: 'POST', path, form, isRepeatable, isSafe });
      if (isSafe) return parseResponse(schema, answer, { isWrite: false, token });
      const id = adAccount?.id ?? /^act_\d+/.exec(path)?.[0];
      if (id) await usage.note(id, answer.headers);
      return orUnknownOutcome(answer, () => parseResponse(schema, answer, { isWrite: true, token }));
    },
    async list(access, path, call) {
      const items = [];
      for await (const page of pages(access, path, call)) items.push(...page);
      return items;
    },
    pages,
    show: (path, fields) => ({
      method: 'POST',
      url: `${baseUrl.replace(/\/$/, '')}${pathOf(path)}`,
      body: defined(fields),
    }),
  };
}
