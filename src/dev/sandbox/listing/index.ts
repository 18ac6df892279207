import type { MakePlatform, Received, Reply, SimulatedPlatform } from '../platform.ts';
import { kindsFor, showAttributes } from './attributes.ts';
import { attributeKinds, categories, categoryOf, showAttributeKind, showCategory } from './catalogue.ts';
import { createControl, createPerson, showAccount } from './control.ts';
import {
  envelope,
  expiredToken,
  failWith,
  invalidToken,
  ListingError,
  missingToken,
  notFound,
  scopeMissing,
  tooMany,
  violation,
} from './errors.ts';
import { listLocations, pageOf, patchAttributes, patchLocation, showLocation } from './locations.ts';
import { readMask, valueAt } from './masks.ts';
import { consentOf } from '../oauth/auth-server.ts';
import { token } from './oauth.ts';
import { createState, type Location, type SandboxState } from './state.ts';

const manage = 'https://www.googleapis.com/auth/business.manage';

interface Asked extends Received {
  sandbox: SandboxState;
  personId: string;
}

/** The business-listing APIs: accounts, locations, attributes. */
export const createListing: MakePlatform = (state): SimulatedPlatform => {
  const sandbox = createState(state);
  return {
    name: 'listing',
    answer: (request) => answer(sandbox, request),
    failWith: (fault, { path }) => failWith(fault, path),
    making: ({ method, body }) =>
      method === 'PATCH'
        ? { edge: 'locations', name: `${String(body['title'])} ${String(valueAt(body, 'profile.description'))}` }
        : undefined,
    ...consentOf(sandbox, (name) => createPerson(sandbox, name)),
    control: createControl(sandbox),
    holds: () => [{ kind: 'locations', rows: sandbox.locations.all().toReversed().map(rowOf) }],
  };
};

const rowOf = ({ id, fields, attributes }: Location): Record<string, unknown> => ({
  name: `locations/${id}`,
  title: fields['title'],
  websiteUri: fields['websiteUri'],
  description: valueAt(fields, 'profile.description'),
  attributes: attributes.map(({ name }) => name.slice('attributes/'.length)).join(', '),
});

function answer(sandbox: SandboxState, request: Received): Reply {
  if (request.path === '/token') return token(sandbox, request);
  try {
    const body = dispatch({ ...request, sandbox, personId: personOf(sandbox, request.token) });
    return body ? { status: 200, body } : { status: 404, body: '<!doctype html><title>Error 404</title>' };
  } catch (error) {
    if (error instanceof ListingError) return envelope(error.fault);
    throw error;
  }
}

function personOf(sandbox: SandboxState, token: string | undefined): string {
  if (!token) throw new ListingError(missingToken);
  const holder = sandbox.holderOf(token, 'access');
  if (!holder || holder.state === 'invalid') throw new ListingError(invalidToken);
  if (holder.state === 'expired') throw new ListingError(expiredToken);
  if (!holder.scopes.includes(manage)) throw new ListingError(scopeMissing);
  if (sandbox.settings.get('all')?.hasAccess === false) throw new ListingError(tooMany('Requests', 0));
  return holder.personId;
}

/** Undefined for an unknown path. */
function dispatch(asked: Asked): object | undefined {
  const { method, path } = asked;
  const [, id = '', edge] = /^\/info\/v1\/locations\/([^/]+)(?:\/(attributes))?$/.exec(path) ?? [];
  if (id && method === 'GET') {
    const location = locationOf(asked, id);
    return edge ? showAttributes(location) : showLocation(location, readMask(asked.query['readMask']));
  }
  if (id && method === 'PATCH')
    return (edge ? patchAttributes : patchLocation)(asked.sandbox, locationOf(asked, id), asked);
  if (method !== 'GET') return undefined;
  const account = /^\/info\/v1\/accounts\/([^/]+)\/locations$/.exec(path)?.[1];
  if (account) return locationsOf(asked, account);
  switch (path) {
    case '/account/v1/accounts':
      return accounts(asked);
    case '/info/v1/attributes':
      return attributeList(asked);
    case '/info/v1/categories':
      return categoryList(asked.query);
    default:
      return undefined;
  }
}

/** Another user's location returns not found, like a missing one. */
function locationOf({ sandbox, personId }: Asked, id: string): Location {
  const location = sandbox.locations.get(id);
  if (location?.personId !== personId) throw notFound();
  return location;
}

function accounts({ sandbox, personId, query }: Asked): object {
  const mine = sandbox.accounts.all().filter((account) => account.personId === personId);
  const size = Math.min(Number(query['pageSize'] || 20), 20);
  if (!Number.isInteger(size) || size < 1) throw violation('page_size', 'The page size is not valid.');
  const { slice, next } = pageOf(mine, size, query['pageToken']);
  return { accounts: slice.map(showAccount), ...next };
}

function locationsOf({ sandbox, personId, query }: Asked, accountId: string): object {
  if (sandbox.accounts.get(accountId)?.personId !== personId) throw notFound();
  const all = sandbox.locations.all().filter(({ accountIds }) => accountIds.includes(accountId));
  return listLocations(all, query);
}

function attributeList(asked: Asked): object {
  const { parent, categoryName, regionCode, languageCode, showAll, pageToken } = asked.query;
  const size = Number(asked.query['pageSize'] || 200);
  if (!Number.isInteger(size) || size < 1) throw violation('page_size', 'The page size is not valid.');
  const category = categoryName === undefined ? undefined : categoryOf(categoryName);
  if (categoryName !== undefined && !category) throw violation('category_name', 'The category does not exist.');
  if (!parent && !(regionCode && languageCode))
    throw violation('region_code', 'A parent, or region_code and language_code, are required.');
  if (!parent && !category && showAll !== 'true') throw violation('parent', 'Give parent, category_name or show_all.');
  const kinds = parent
    ? kindsFor(locationOf(asked, /^locations\/(.+)$/.exec(parent)?.[1] ?? ''))
    : attributeKinds.filter(({ only }) => showAll === 'true' || only === undefined || only === category?.serves);
  const { slice, next } = pageOf(kinds, size, pageToken);
  return { attributeMetadata: slice.map(showAttributeKind), ...next };
}

function categoryList(query: Record<string, string>): object {
  for (const [name, field] of [
    ['regionCode', 'region_code'],
    ['languageCode', 'language_code'],
    ['view', 'view'],
  ] as const)
    if (!query[name]) throw violation(field, `The ${field} is required.`);
  const requested = /^displayName=\s*"?(.*?)"?$/.exec(query['filter'] ?? '')?.[1];
  if (query['filter'] && requested === undefined) throw violation('filter', 'The filter is not valid.');
  const found = categories.filter(({ displayName }) =>
    displayName.toLowerCase().includes((requested ?? '').toLowerCase()),
  );
  const size = Number(query['pageSize'] || 100);
  if (!Number.isInteger(size) || size < 1 || size > 100)
    throw violation('page_size', 'The page size must be between 1 and 100.');
  const { slice, next } = pageOf(found, size, query['pageToken']);
  const shown = slice.map((category) => showCategory(category, query['view'] ?? ''));
  return { ...(shown.length > 0 && { categories: shown }), ...next, totalCount: found.length };
}
