import { allow, numberParam, type Asked } from './request.ts';
import { badParam, badRequest } from './errors.ts';
import { entityAt, keyOf, urnOf, type AdAccount, type Entity, type Kind, type SandboxState } from './state.ts';
import { projected, showAccount, showEntity } from './read.ts';
import { listParam, recordParam, textParam, type Params } from './restli.ts';
import type { Fields } from './shape.ts';

export interface Found {
  elements: Fields[];
  metadata: { nextPageToken?: string };
}

/** The maximum size of a search without conditions. */
const cap = 1000;
const paging = ['sortOrder', 'pageSize', 'pageToken', 'fields'];

/** One page of an ad account's entities that match the conditions. */
export function searchEntities(asked: Asked, account: AdAccount, kind: Kind): Found {
  const { sandbox, params } = asked;
  const conditions = kind === 'creative' ? criteria(asked) : conditionsIn(asked, searchable[kind]);
  const keep = matcher(conditions, account, kind);
  const ids = candidates(sandbox, { account, kind, conditions });
  if (Object.keys(conditions).length === 0 && ids.length > cap)
    throw badRequest('Request would return too many entities.');
  const most = kind === 'creative' ? 100 : cap;
  const { found, next } = pageOf(ids, params, {
    most,
    take: (id) => {
      const entity = sandbox.entities.get(id);
      return entity && !entity.isRemoved && keep(entity) ? entity : undefined;
    },
  });
  const elements = found.map((entity) => projected(showEntity(sandbox, entity), params['fields']));
  return { elements, metadata: next === undefined ? {} : { nextPageToken: next } };
}

type Conditions = Record<string, string[]>;

interface Searchable {
  names: string[];
  /** Another one is refused. */
  statuses: string[];
}

const words = (text: string): string[] => text.split(' ');
const searchable: Record<'account' | 'group' | 'campaign', Searchable> = {
  account: {
    names: words('id name status type reference test'),
    statuses: words('ACTIVE CANCELED DRAFT PENDING_DELETION REMOVED'),
  },
  group: {
    names: words('id name status test'),
    statuses: words('ACTIVE ARCHIVED CANCELED DRAFT PAUSED PENDING_DELETION REMOVED'),
  },
  campaign: {
    names: words('id name status type test campaignGroup associatedEntity'),
    statuses: words('ACTIVE ARCHIVED CANCELED COMPLETED DRAFT PAUSED PENDING_DELETION REMOVED'),
  },
};

/** `search=(status:(values:List(ACTIVE)),test:false)` */
function conditionsIn(asked: Asked, { names, statuses }: Searchable): Conditions {
  const { params } = asked;
  if (params['q'] !== 'search') throw badParam('q');
  allow(asked, 'q', 'search', ...paging);
  const search = params['search'] === undefined ? {} : recordParam(params['search']);
  if (!search) throw badParam('search');
  return Object.fromEntries(
    Object.entries(search).map(([name, value]) => {
      if (!names.includes(name)) throw badParam(`search.${name}`);
      if (name === 'test') return [name, [String(value)]];
      const values = listParam(recordParam(value) ?? {}, 'values');
      if (!values) throw badParam(`search.${name}.values`);
      const odd = name === 'status' && values.find((word) => !statuses.includes(word));
      if (odd) throw badParam(`search.status.values`);
      return [name, values];
    }),
  );
}

/** Criteria for creatives, such as `campaigns=List(urn...)`. */
function criteria(asked: Asked): Conditions {
  const { params, headers } = asked;
  // Unconfirmed: how the platform refuses it.
  if (headers['x-restli-method'] === undefined)
    throw badRequest('A search for creatives needs the header X-RestLi-Method: FINDER');
  if (params['q'] !== 'criteria') throw badParam('q');
  const names = ['campaigns', 'contentReferences', 'creatives', 'intendedStatuses'];
  allow(asked, 'q', 'isTestAccount', 'isTotalIncluded', ...names, ...paging);
  return Object.fromEntries(
    names.flatMap((name) => {
      const values = listParam(params, name);
      return values ? [[name, values]] : [];
    }),
  );
}

/** The smallest list that contains every possible match. */
function candidates(
  sandbox: SandboxState,
  { account, kind, conditions }: { account: AdAccount; kind: Kind; conditions: Conditions },
): readonly string[] {
  const below = (keys: string[]): string[] => [...new Set(keys.flatMap((key) => sandbox.below(key)))];
  const { id, name, campaignGroup, campaigns, creatives, contentReferences } = conditions;
  if (id) return id;
  if (creatives) return creatives.flatMap((urn) => entityAt(sandbox, urn, 'creative')?.id ?? []);
  if (name) return below(name.map((text) => keyOf.name(account.id, kind, text)));
  if (contentReferences) return below(contentReferences.map(keyOf.post));
  const parents = campaignGroup ?? campaigns;
  return parents ? below(parents.map(keyOf.parent)) : sandbox.below(keyOf.account(account.id, kind));
}

const fieldOf: Record<string, (entity: Entity) => unknown> = {
  id: ({ id }) => id,
  test: () => false,
  campaigns: ({ fields }) => fields['campaign'],
  creatives: urnOf,
  contentReferences: ({ fields }) => (fields['content'] as Fields)['reference'],
  intendedStatuses: ({ fields }) => fields['intendedStatus'],
};

const matcher =
  (conditions: Conditions, account: AdAccount, kind: Kind) =>
  (entity: Entity): boolean =>
    entity.accountId === account.id &&
    entity.kind === kind &&
    Object.entries(conditions).every(([name, values]) =>
      values.includes(String(fieldOf[name]?.(entity) ?? entity.fields[name])),
    );

/** Tokens encode the next position. */
function pageOf<T>(
  ids: readonly string[],
  params: Params,
  { most, take }: { most: number; take: (id: string) => T | undefined },
): { found: T[]; next?: string } {
  const size = numberParam(params, 'pageSize', { least: 1, most, default: 100 });
  const isDescending = params['sortOrder'] === 'DESCENDING';
  if (params['sortOrder'] !== undefined && !isDescending && params['sortOrder'] !== 'ASCENDING')
    throw badParam('sortOrder');
  const step = isDescending ? -1 : 1;
  const found: T[] = [];
  let at = startOf(params) ?? (isDescending ? ids.length - 1 : 0);
  for (; found.length < size && at >= 0 && at < ids.length; at += step) {
    const value = take(ids[at] ?? '');
    if (value !== undefined) found.push(value);
  }
  return at >= 0 && at < ids.length ? { found, next: Buffer.from(`p${at}`).toString('base64url') } : { found };
}

function startOf(params: Params): number | undefined {
  const token = textParam(params['pageToken']);
  if (token === undefined || token === '') return undefined;
  const place = /^p(\d+)$/.exec(Buffer.from(token, 'base64url').toString())?.[1];
  if (place === undefined) throw badParam('pageToken');
  return Number(place);
}

/** The ad accounts in which the user has a role. */
export function searchAccounts(asked: Asked): Found {
  const { sandbox, person, params } = asked;
  const conditions = conditionsIn(asked, searchable.account);
  const { found, next } = pageOf(person.accountIds, params, {
    most: cap,
    take: (id) => {
      const account = sandbox.accounts.get(id);
      if (!account) return undefined;
      const fields = showAccount(account);
      const isMeant = Object.entries(conditions).every(([name, values]) => values.includes(String(fields[name])));
      return isMeant ? projected(fields, params['fields']) : undefined;
    },
  });
  return { elements: found, metadata: next === undefined ? {} : { nextPageToken: next } };
}
