import type { z } from 'zod';
import { orUnknownOutcome } from '../response.ts';
import { PlatformError } from '../error.ts';
import type { Upstream } from '../http.ts';
import type { Access } from '../platform.ts';
import { dotted, platform, parseResponse } from './errors.ts';

export interface Call<T> {
  /** The request body; a call without one is a read. */
  change?: object;
  query?: Record<string, string>;
  schema: z.ZodType<T>;
  isOfLocation?: boolean;
  toPath?: (field: string) => string | undefined;
}

export interface Client {
  ask: <T>(access: Pick<Access, 'token'>, path: string, call: Call<T>) => Promise<T>;
  pages: <T extends { nextPageToken?: string }>(
    access: Pick<Access, 'token'>,
    path: string,
    call: Call<T>,
  ) => AsyncIterable<T>;
}

/** More pages than any account has; stops a page token that repeats. */
const maxPages = 1000;

/** API client for one token per call. Writes are idempotent, so all calls are retried alike. */
export function createClient(upstream: Upstream): Client {
  const ask: Client['ask'] = async (access, path, { change, query, schema, isOfLocation = false, toPath = dotted }) => {
    const { token } = access;
    const call = change
      ? ({ method: 'PATCH', json: change, isRepeatable: true } as const)
      : ({ method: 'GET' } as const);
    const answer = await upstream.call({ ...call, path, query, token });
    const question = { isWrite: change !== undefined, token, isOfLocation, toPath };
    return orUnknownOutcome(answer, () => parseResponse(schema, answer, question));
  };
  async function* pages<T extends { nextPageToken?: string }>(
    access: Pick<Access, 'token'>,
    path: string,
    call: Call<T>,
  ): AsyncIterable<T> {
    let pageToken: string | undefined;
    for (let page = 0; page < maxPages; page++) {
      const answer = await ask(access, path, { ...call, query: { ...call.query, ...(pageToken && { pageToken }) } });
      yield answer;
      pageToken = answer.nextPageToken;
      if (!pageToken) return;
    }
    throw new PlatformError(platform, 'unavailable', 'The platform returned an incomplete list');
  }
  return { ask, pages };
}
