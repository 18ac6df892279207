import type { Received, Reply } from '../platform.ts';
import { badParam, badRequest, forbidden, notFound } from './errors.ts';
import { maySponsor, type AdAccount, type Person, type SandboxState } from './state.ts';
import { parseParam, textParam, type Param, type Params } from './restli.ts';

export type Verb =
  | 'FINDER'
  | 'BATCH_GET'
  | 'GET'
  | 'GET_ALL'
  | 'ACTION'
  | 'CREATE'
  | 'BATCH_CREATE'
  | 'PARTIAL_UPDATE'
  | 'UPDATE'
  | 'DELETE';

/** A request of an authenticated user, parsed for all resources. */
export interface Asked extends Received {
  sandbox: SandboxState;
  person: Person;
  scopes: string[];
  params: Params;
  /** Unparsed path segments after `rest`. */
  parts: string[];
  verb: Verb;
}

const headed: Partial<Record<Verb, string>> = {
  FINDER: 'GET',
  BATCH_GET: 'GET',
  GET: 'GET',
  GET_ALL: 'GET',
  ACTION: 'POST',
  CREATE: 'POST',
  BATCH_CREATE: 'POST',
  PARTIAL_UPDATE: 'POST',
  UPDATE: 'PUT',
  DELETE: 'DELETE',
};

/** The Rest.li method, from the header or else the HTTP method. Partial updates require the header. */
export function verbOf({ method, headers }: Received, params: Params, isEntity: boolean): Verb {
  const said = headers['x-restli-method']?.toUpperCase() as Verb | undefined;
  if (said !== undefined) {
    if (headed[said] !== method) throw badRequest(`The method ${said} does not go with ${method}`);
    if (said === 'FINDER' && params['q'] === undefined) throw badParam('q', 'field is required');
    return said;
  }
  if (method === 'GET') {
    if (params['q'] !== undefined) return 'FINDER';
    if (params['ids'] !== undefined) return 'BATCH_GET';
    return isEntity ? 'GET' : 'GET_ALL';
  }
  if (method === 'POST' && params['action'] !== undefined) return 'ACTION';
  if (method === 'POST' && !isEntity) return 'CREATE';
  if (method === 'PUT') return 'UPDATE';
  if (method === 'DELETE') return 'DELETE';
  throw badRequest('POST to an entity needs the header X-RestLi-Method: PARTIAL_UPDATE');
}

export const unsupported = ({ method, path, verb }: Asked): Error =>
  badRequest(`${verb} (${method}) is not supported on ${path}`, 'METHOD_NOT_SUPPORTED');

/** Rejects unknown parameters. */
export function allow({ params }: Asked, ...names: string[]): void {
  const odd = Object.keys(params).find((name) => !names.includes(name));
  if (odd !== undefined) throw badParam(odd, 'Query parameter not allowed');
}

export function requireScope({ scopes }: Asked, ...anyOf: string[]): void {
  if (!anyOf.some((scope) => scopes.includes(scope))) throw forbidden(`needs one of the scopes ${anyOf.join(', ')}`);
}

/** The entity key in the path. */
export function keyText(raw: string | undefined): string {
  const key: Param = parseParam(raw ?? '');
  if (typeof key !== 'string') throw badRequest('Syntax exception in path variables', 'ILLEGAL_ARGUMENT');
  return key;
}

/** The ad account of the path, for reading or writing. */
export function accountOf(asked: Asked, id: string, isWrite: boolean): AdAccount {
  if (!/^\d+$/.test(id)) throw badParam('adAccountId', `Cannot parse ${id} as Long`);
  requireScope(asked, 'rw_ads', ...(isWrite ? [] : ['r_ads']));
  const account = asked.sandbox.accounts.get(id);
  if (!account) throw notFound(`adAccounts/${id}`);
  if (account.personId !== asked.person.id || (isWrite && !maySponsor(account))) throw forbidden(`adAccounts/${id}`);
  return account;
}

export function numberParam(
  params: Params,
  name: string,
  range: { least: number; most: number; default: number },
): number {
  const text = textParam(params[name]);
  if (text === undefined || text === '') return range.default;
  const value = Number(text);
  if (!Number.isInteger(value) || value < range.least || value > range.most)
    throw badParam(name, `must be a number from ${range.least} to ${range.most}`);
  return value;
}

export const ok = (body: unknown): Reply => ({ status: 200, body });
export const noContent = (): Reply => ({ status: 204, body: undefined });

/** The id of a created entity is only in the headers. */
export const created = (id: string): Reply => ({
  status: 201,
  body: undefined,
  headers: { 'x-restli-id': id, 'x-linkedin-id': id },
});
