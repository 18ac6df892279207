import type { Resource } from './state.ts';
import { ad, kinds } from './resources.ts';
import { camel, isObject, snake, valueAt, withValue, type Fields, type Message, type Type } from './shapes.ts';
import { broken, find, isChanged, type Draft } from './resolve-temp-names.ts';

type Check = (draft: Draft) => void;

/** Applies an update mask and validates the result. */
export function changed(draft: Draft, body: Fields, check: Check): Resource {
  const { resourceName, given, mask } = readUpdate(draft, body);
  const old = taken(draft, resourceName);
  const { shape } = kinds[draft.kind];
  let { fields } = old;
  for (const path of mask) fields = masked(draft, { shape, path, given, fields });
  Object.assign(draft, { fields, before: old.fields, name: old.name });
  check(draft);
  if (draft.kind === 'campaigns') leaveBudget(draft, old);
  const next = { ...old, fields: draft.fields };
  draft.staged.put(next);
  return next;
}

/** Applies an update mask to the content of an ad, which keeps its place in the ad group. */
export function changedAd(draft: Draft, body: Fields, check: Check): Resource {
  const { resourceName, given, mask } = readUpdate(draft, body);
  const [, id] = /^customers\/\d+\/ads\/(\d+)$/.exec(resourceName) ?? [];
  if (id === undefined)
    throw broken(draft, 'requestError.RESOURCE_NAME_MALFORMED', { field: 'resource_name', trigger: resourceName });
  const place = draft.staged.owner(`ad ${draft.customer.id} ${id}`);
  if (place === undefined)
    throw broken(draft, 'mutateError.RESOURCE_NOT_FOUND', { field: 'resource_name', trigger: resourceName });
  const old = taken(draft, place);
  let content = old.fields['ad'] as Fields;
  for (const path of mask) content = masked(draft, { shape: ad, path, given, fields: content });
  Object.assign(draft, { fields: { ...old.fields, ad: content }, before: old.fields, name: old.name });
  check(draft);
  const next = { ...old, fields: draft.fields };
  draft.staged.put(next);
  return { ...next, name: resourceName };
}

interface Update {
  resourceName: string;
  given: Fields;
  mask: string[][];
}

function readUpdate(draft: Draft, body: Fields): Update {
  const { resourceName, ...given } = body['update'] as Fields;
  if (typeof resourceName !== 'string' || resourceName === '') {
    throw broken(draft, 'requestError.RESOURCE_NAME_MISSING', { field: 'resource_name' });
  }
  const mask = String(body['updateMask'] ?? '')
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '')
    .map((path) => path.split('.').map(camel));
  if (mask.length === 0) throw broken(draft, 'fieldMaskError.FIELD_MASK_MISSING');
  return { resourceName, given, mask };
}

/** The resource to change; each may be changed once per request. */
function taken(draft: Draft, name: string): Resource {
  const old = find(draft, name, { kind: draft.kind, field: 'resource_name' });
  const { touched } = draft.staged;
  if (touched.has(old.name)) throw broken(draft, 'mutateError.ID_EXISTS_IN_MULTIPLE_MUTATES', { trigger: name });
  touched.add(old.name);
  return old;
}

interface Masked {
  shape: Message;
  path: string[];
  given: Fields;
  fields: Fields;
}

function masked(draft: Draft, { shape, path, given, fields }: Masked): Fields {
  const [top = ''] = path;
  const field = path.map(snake).join('.');
  const type = typeAt(shape, path);
  if (type === undefined) throw broken(draft, 'fieldMaskError.FIELD_NOT_FOUND', { trigger: field });
  if ([...(shape.output ?? []), ...(shape.immutable ?? [])].includes(top)) {
    throw broken(draft, 'fieldError.IMMUTABLE_FIELD', { field });
  }
  const value = valueAt(given, path);
  if (isMessage(type) && isObject(value) && Object.keys(value).length > 0) {
    throw broken(draft, 'fieldMaskError.FIELD_HAS_SUBFIELDS', { trigger: field });
  }
  const others = (shape.oneof ?? []).includes(top) ? (shape.oneof ?? []).filter((name) => name !== top) : [];
  const alone =
    value === undefined
      ? fields
      : Object.fromEntries(Object.entries(fields).filter(([name]) => !others.includes(name)));
  return withValue(alone, path, value);
}

const isMessage = (type: Type): type is Message => typeof type === 'object' && 'fields' in type;

const typeAt = (type: Type, [name, ...rest]: string[]): Type | undefined => {
  if (name === undefined) return type;
  const below = isMessage(type) ? type.fields[name] : undefined;
  return below === undefined ? undefined : typeAt(below, rest);
};

/** A campaign that switched budgets keeps its period. */
function leaveBudget(draft: Draft, old: Resource): void {
  if (!isChanged(draft, 'campaignBudget')) return;
  const period = (name: unknown): unknown => draft.staged.get(String(name))?.fields['period'];
  if (period(old.fields['campaignBudget']) === period(draft.fields['campaignBudget'])) return;
  throw broken(draft, 'campaignError.CANNOT_CHANGE_BUDGET_PERIOD', { field: 'campaign_budget' });
}

/** Removes a resource; it remains as REMOVED. */
export function removed(draft: Draft, name: string): Resource {
  const old = taken(draft, name);
  const isInUse = draft.kind === 'campaignBudgets' && draft.staged.owner(`use of ${old.name}`) !== undefined;
  if (isInUse) throw broken(draft, 'campaignBudgetError.CAMPAIGN_BUDGET_IN_USE', { trigger: name });
  const next = { ...old, fields: { ...old.fields, status: 'REMOVED' } };
  draft.staged.put(next);
  return next;
}
