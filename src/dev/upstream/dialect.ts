import type { AccountPlatform } from '../../contract/platforms.ts';
import type { UpstreamCall } from '../../platforms/http.ts';
import { at, type Scene, type Side, type Step } from './check.ts';
import type { Exchange } from './record.ts';

export interface Refusal {
  /** Code, subcode and the like, in the platform's own order. */
  code: string;
  /** Paths of the fields that it names. */
  fields: string[];
  text: string;
}

/** What the platforms do differently, as far as raw requests and their answers need it. */
export interface Dialect {
  account: AccountPlatform;
  /** Headers whose presence matters: quotas, warnings, ids. */
  headers: RegExp;
  /** Members of answers that depend on the data. */
  optional: RegExp;
  /** A request with the credentials of a side. */
  call: (side: Side, step: Step) => UpstreamCall;
  idIn: (body: unknown, headers: Exchange['headers']) => string | undefined;
  refusal: (exchange: Pick<Exchange, 'status' | 'body'>) => Refusal | undefined;
  removal: (scene: Scene, kind: string, id: string) => Step;
  /** Codes and texts with which the removal of a removed object is refused. */
  isGone: RegExp;
}

export type Fields = Record<string, unknown>;

export const listAt = (value: unknown, ...path: (string | number)[]): Fields[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? (found as Fields[]) : [];
};
export const joined = (...parts: unknown[]): string =>
  parts.filter((part) => part !== undefined && part !== '').join('/');
export const asText = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
export const textsOf = (fields: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries((fields ?? {}) as Fields).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, asText(value)]],
    ),
  );
export const pathOf = (version: string, { path }: Step, end = ''): string =>
  /^https?:/.test(path) ? path : `/${version}/${path}${end}`;
export const common = ({ access }: Side, { method = 'GET', query, headers, token, form }: Step) =>
  ({
    method,
    query,
    headers,
    form,
    token: token === '' ? undefined : (token ?? access.token),
  }) satisfies Partial<UpstreamCall>;
export const unless2xx = (status: number, refusal: () => Refusal): Refusal | undefined =>
  status >= 200 && status < 300 ? undefined : refusal();
