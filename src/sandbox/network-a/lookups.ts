import { randomBytes } from 'node:crypto';
import type { Received } from '../platform.ts';
import type { Body } from './checks.ts';
import { GraphError, invalid, unknownObject } from './errors.ts';
import { minimumBudget, type AdAccount, type Person, type World } from './objects.ts';
import { interests, places } from './places.ts';
import { cursorOf, listIn, parseFields, positionOf } from './read.ts';

type Query = Record<string, string>;

/** What does not hang on one stored object: the person, their accounts and pages, search, tokens. */
export function me({ world, person, query }: { world: World; person: Person; query: Query }, edge?: string): unknown {
  if (edge === undefined) return pick({ id: person.id, name: person.name }, query, 'id,name');
  if (edge === 'adaccounts') {
    const mine = world.accounts.all().filter(({ userId }) => userId === person.id);
    return slice(
      mine.map((account) => showAccount(account, query)),
      query,
    );
  }
  if (edge !== 'accounts') throw unknownObject(`me/${edge}`);
  const pages = person.pages.map(({ id, name, accessToken, tasks }) =>
    pick(
      { id, name, tasks, access_token: accessToken, category: 'Brand' },
      query,
      'access_token,category,name,id,tasks',
    ),
  );
  return slice(pages, query);
}

export const showAccount = (account: AdAccount, query: Query): Body =>
  pick(
    {
      id: `act_${account.id}`,
      account_id: account.id,
      name: account.name,
      currency: account.currency,
      timezone_name: 'Europe/Berlin',
      account_status: 1,
      min_daily_budget: minimumBudget(account),
    },
    query,
    'account_id,id',
  );

/** Only what was asked for; `id` always comes. */
function pick(all: Body, query: Query, usual: string): Body {
  const wanted = parseFields(query['fields'] ?? usual);
  return Object.fromEntries(Object.entries(all).filter(([name]) => name === 'id' || wanted.has(name)));
}

/** A page of things that are not graph objects. */
function slice(list: Body[], query: Query): object {
  const limit = Number(query['limit'] ?? 25);
  const start = query['after'] ? positionOf(query['after']) : 0;
  if (!Number.isInteger(start) || !Number.isInteger(limit) || limit < 1)
    throw invalid('The cursor or limit is not valid', { blame: 'after' });
  const end = start + limit;
  const after = cursorOf(Math.min(end, list.length));
  const next = end < list.length ? { next: `https://sandbox.invalid/?after=${after}` } : {};
  return { data: list.slice(start, end), paging: { cursors: { before: cursorOf(start), after }, ...next } };
}

export function search(query: Query): unknown {
  const q = (query['q'] ?? '').toLowerCase();
  const limit = Number(query['limit'] ?? 8);
  if (query['type'] === 'adinterest')
    return { data: interests.filter(({ name }) => name.toLowerCase().includes(q)).slice(0, limit) };
  if (query['type'] !== 'adgeolocation') throw invalid('type is not valid', { blame: 'type' });
  const types = listIn(query, 'location_types') ?? ['country', 'region', 'city'];
  const { country_code: country, region_id: region } = query;
  const found = places.filter(
    (place) =>
      types.includes(place.type) &&
      place.name.toLowerCase().startsWith(q) &&
      (!country || place.country_code === country) &&
      (!region || String(place.region_id) === region),
  );
  return { data: found.slice(0, limit) };
}

/** A short-lived token becomes one of sixty days. */
export function exchangeToken(world: World, { query, body }: Received): unknown {
  const asked: Body = { ...query, ...body };
  for (const name of ['client_id', 'client_secret'])
    if (!asked[name]) throw new GraphError({ code: 101, message: `Missing ${name} parameter.` });
  if (asked['grant_type'] !== 'fb_exchange_token') throw invalid('grant_type is not valid', { blame: 'grant_type' });
  const known = world.tokens.get(String(asked['fb_exchange_token']));
  if (known?.state !== 'good')
    throw new GraphError({ code: 190, message: 'Invalid OAuth access token - Cannot parse access token' });
  const token = `EAAL${randomBytes(24).toString('hex')}`;
  world.tokens.put(token, { token, userId: known.userId, state: 'good' });
  return { access_token: token, token_type: 'bearer', expires_in: 5_184_000 };
}
