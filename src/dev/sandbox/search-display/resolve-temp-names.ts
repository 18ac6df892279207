import { AdsError, elements, refusal, type PathElement } from './errors.ts';
import { placesOf, type Customer, type Resource, type SandboxState } from './state.ts';
import type { Kind } from './resources.ts';
import { snake, valueAt, withValue, type Fields } from './shapes.ts';

/** The staged changes of one request. */
export interface Staged {
  get: (name: string) => Resource | undefined;
  put: (resource: Resource) => void;
  owner: (key: string) => string | undefined;
  /** Resource names of created temporary names; undefined for failed ones. */
  temporary: Map<string, string | undefined>;
  /** The negative numbers used so far, across kinds. */
  temporaryIds: Set<string>;
  /** Changed or removed names. */
  touched: Set<string>;
  keep: () => void;
}

export function stage(sandbox: SandboxState): Staged {
  const [changed, owners] = [new Map<string, Resource>(), new Map<string, string | undefined>()];
  const get = (name: string): Resource | undefined => changed.get(name) ?? sandbox.get(name);
  return {
    get,
    put(resource) {
      const before = get(resource.name);
      if (before) for (const key of placesOf(before)) owners.set(key, undefined);
      for (const key of placesOf(resource)) owners.set(key, resource.name);
      changed.set(resource.name, resource);
    },
    owner: (key) => (owners.has(key) ? owners.get(key) : sandbox.owner(key)),
    temporary: new Map(),
    temporaryIds: new Set(),
    touched: new Set(),
    keep: () => changed.forEach((resource) => sandbox.put(resource)),
  };
}

/** One resource while it is validated. */
export interface Draft {
  sandbox: SandboxState;
  staged: Staged;
  customer: Customer;
  kind: Kind;
  /** Modified by the rules, which resolve names and fill in defaults. */
  fields: Fields;
  /** The previous fields, for an update. */
  before?: Fields;
  /** The resource name, for an update. */
  name?: string;
  path: PathElement[];
  /** Set if the new resource duplicates an existing one. */
  same?: string;
}

interface Why {
  field?: string;
  trigger?: unknown;
  details?: Fields;
}

export function broken(draft: Draft, code: string, { field = '', trigger, details }: Why = {}): AdsError {
  const text = trigger === undefined ? undefined : String(trigger);
  return refusal(code, 400, { path: [...draft.path, ...elements(field)], trigger: text, details });
}

/** Resolves a reference: it exists, belongs to the account, has the kind and is not removed. */
export function referred(draft: Draft, place: string, kind: Kind): Resource {
  const path = place.split('.');
  const field = path.map(snake).join('.');
  const name = valueAt(draft.fields, path);
  if (typeof name !== 'string' || name === '') throw broken(draft, 'fieldError.REQUIRED', { field });
  const found = find(draft, name, { kind, field });
  draft.fields = withValue(draft.fields, path, found.name);
  return found;
}

export function find(draft: Draft, name: string, { kind, field }: { kind: Kind; field: string }): Resource {
  const { staged, customer } = draft;
  const [, customerId, given, id = ''] = /^customers\/(\d+)\/(\w+)\/(-?\d+(?:~\d+)?)$/.exec(name) ?? [];
  const why = { field, trigger: name };
  if (customerId === undefined || given !== kind) throw broken(draft, 'requestError.RESOURCE_NAME_MALFORMED', why);
  const isFailed = staged.temporary.has(name) && staged.temporary.get(name) === undefined;
  if (isFailed) throw broken(draft, 'newResourceCreationError.TEMP_ID_RESOURCE_HAD_ERRORS', why);
  const found = staged.get(id.startsWith('-') ? (staged.temporary.get(name) ?? '') : name);
  if (!found || customerId !== customer.id) throw broken(draft, 'mutateError.RESOURCE_NOT_FOUND', why);
  if (found.fields['status'] === 'REMOVED') {
    throw broken(draft, 'contextError.OPERATION_NOT_PERMITTED_FOR_REMOVED_RESOURCE', why);
  }
  return found;
}

export const isChanged = ({ fields, before }: Draft, name: string): boolean =>
  before === undefined || fields[name] !== before[name];

/** Validates a required text whose length `count` measures. */
export function requireText(
  draft: Draft,
  field: string,
  {
    value,
    most,
    count = (text) => [...text].length,
  }: { value: unknown; most: number; count?: (text: string) => number },
): void {
  if (value === undefined) throw broken(draft, 'fieldError.REQUIRED', { field });
  const text = String(value);
  if (text.trim() === '') throw broken(draft, 'stringLengthError.TOO_SHORT', { field, trigger: text });
  if (count(text) > most) throw broken(draft, 'stringLengthError.TOO_LONG', { field, trigger: text });
}

/** Validates an optional text. */
export function limitText(draft: Draft, field: string, limit: Parameters<typeof requireText>[2]): void {
  if (limit.value !== undefined) requireText(draft, field, limit);
}

export const inBytes = (text: string): number => Buffer.byteLength(text.trim());

/** Checks that a unique key is free, or held by the resource itself. */
export function requireFree(draft: Draft, key: string, { code, trigger }: { code: string; trigger: unknown }): void {
  const owner = draft.staged.owner(key);
  if (owner !== undefined && owner !== draft.name) throw broken(draft, code, { field: 'name', trigger });
}

/** ENABLED or PAUSED; removal has its own operation. */
export function checkStatus(draft: Draft): void {
  const status = (draft.fields['status'] ??= 'ENABLED');
  if (status === 'ENABLED' || status === 'PAUSED') return;
  throw broken(draft, 'enumError.ENUM_VALUE_NOT_PERMITTED', { field: 'status', trigger: status });
}
