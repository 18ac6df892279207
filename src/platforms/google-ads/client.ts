import { z } from 'zod';
import { PlatformError } from '../error.ts';
import type { Answer, Upstream, UpstreamCall } from '../http.ts';
import type { Access, UpstreamRequest } from '../platform.ts';
import { orUnknownOutcome } from '../response.ts';
import { parseResponse } from './errors.ts';
import type { Quota } from './quota.ts';
import { Accessible, withoutHyphens, Mutated, pageOf, Suggested, type Operation, type Customer } from './wire.ts';

export interface MutateOptions {
  /** Validates without creating anything. */
  validateOnly?: boolean;
  /** Idempotent. */
  isRepeatable?: boolean;
}

/** API client for one API version and one token per call. */
export interface Client {
  accessible: (access: Access) => Promise<string[]>;
  /** The pages of a query's rows; the platform sets the page size. */
  pages: <T>(access: Access, customer: Customer, query: { schema: z.ZodType<T>; text: string }) => AsyncIterable<T[]>;
  rows: <T>(access: Access, customer: Customer, query: { schema: z.ZodType<T>; text: string }) => Promise<T[]>;
  /** Atomic: executes all operations or none. */
  mutate: (
    access: Access,
    customer: Customer,
    change: { operations: Operation[] } & MutateOptions,
  ) => Promise<z.infer<typeof Mutated>>;
  suggestPlaces: (access: Access, question: Record<string, unknown>) => Promise<z.infer<typeof Suggested>>;
  /** A mutate without credentials, for a dry run. */
  show: (customer: Customer, operations: Operation[]) => UpstreamRequest;
}

export interface ClientConfig {
  baseUrl: string;
  version: string;
  developerToken: string;
  quota: Quota;
}

/** More pages than any account has; stops a page token that repeats. */
const maxPages = 1000;
/** Timeout factor: images are part of the request. */
const mutateTimeoutFactor = 3;

export function createClient(upstream: Upstream, config: ClientConfig): Client {
  const { baseUrl, version, developerToken, quota } = config;
  const secretsOf = ({ token }: Access): string[] => [token, developerToken];
  const headersOf = ({ managerId }: Partial<Customer>): Record<string, string> => ({
    'developer-token': developerToken,
    ...(managerId && { 'login-customer-id': withoutHyphens(managerId) }),
  });
  const send = async (customerId: string | undefined, operations: number, call: UpstreamCall): Promise<Answer> => {
    await quota.take(customerId, operations);
    const answer = await upstream.call(call);
    await quota.note(customerId, answer);
    return answer;
  };
  const ask = ({ token }: Access, path: string, { json, customer = {} }: Question): Promise<Answer> =>
    // The pages of a query count as one operation.
    send(customer.id, json?.['pageToken'] === undefined ? 1 : 0, {
      method: json === undefined ? 'GET' : 'POST',
      path: `/${version}/${path}`,
      json,
      token,
      headers: headersOf(customer),
      // A query is a POST without side effects.
      isSafe: true,
    });
  const read = async <T>(access: Access, path: string, question: Question & { schema: z.ZodType<T> }): Promise<T> =>
    parseResponse(question.schema, await ask(access, path, question), { isWrite: false, secrets: secretsOf(access) });

  async function* pages<T>(access: Access, customer: Customer, { schema, text }: QueryOf<T>): AsyncIterable<T[]> {
    let pageToken: string | undefined;
    for (let page = 0; page < maxPages; page++) {
      const json = { query: text, ...(pageToken && { pageToken }) };
      const path = `customers/${customerIdOf(customer)}/googleAds:search`;
      const answer = await read(access, path, { json, customer, schema: pageOf(schema) });
      yield answer.results as T[];
      pageToken = answer.nextPageToken;
      if (!pageToken) return;
    }
    // A truncated list would make an existing object look missing.
    throw new PlatformError('B', 'unavailable', 'The platform returned an incomplete list');
  }

  const pathOf = (customer: Customer): string => `/${version}/customers/${customerIdOf(customer)}/googleAds:mutate`;
  return {
    pages,
    async accessible(access) {
      const { resourceNames } = await read(access, 'customers:listAccessibleCustomers', { schema: Accessible });
      return resourceNames.map(withoutHyphens);
    },
    async rows(access, customer, query) {
      const rows = [];
      for await (const page of pages(access, customer, query)) rows.push(...page);
      return rows;
    },
    async mutate(access, customer, { operations, validateOnly = false, isRepeatable }) {
      const answer = await send(customer.id, operations.length, {
        method: 'POST',
        path: pathOf(customer),
        json: bodyOf(operations, validateOnly),
        token: access.token,
        headers: headersOf(customer),
        isRepeatable,
        isSafe: validateOnly,
        timeoutFactor: mutateTimeoutFactor,
      });
      const asked = { isWrite: !validateOnly, secrets: secretsOf(access), operations };
      return orUnknownOutcome(answer, () => parseResponse(Mutated, answer, asked));
    },
    suggestPlaces: (access, question) =>
      read(access, 'geoTargetConstants:suggest', { json: question, schema: Suggested }),
    show: (customer, operations) => ({
      method: 'POST',
      url: `${baseUrl.replace(/\/$/, '')}${pathOf(customer)}`,
      body: bodyOf(operations, false),
    }),
  };
}

/** Rejects ids that would address another customer or path. */
function customerIdOf({ id }: Customer): string {
  if (!/^\d[\d-]*$/.test(id)) throw new PlatformError('B', 'not_found', `There is no customer ${id}`);
  return withoutHyphens(id);
}

interface Question {
  json?: Record<string, unknown>;
  customer?: Partial<Customer>;
}

interface QueryOf<T> {
  schema: z.ZodType<T>;
  text: string;
}

const bodyOf = (operations: Operation[], validateOnly: boolean): Record<string, unknown> => ({
  mutateOperations: operations.map(({ body }) => body),
  partialFailure: false,
  ...(validateOnly && { validateOnly }),
});
