import type { Body } from './checks.ts';
import { invalid } from './errors.ts';
import { minimumBudget, type AdAccount } from './state.ts';
import { pick } from './lists.ts';
import { interests, locales, places } from './places.ts';
import { listIn } from './read.ts';

type Query = Record<string, string>;

export const showAccount = (account: AdAccount, query: Query): Body =>
  pick(
    {
      id: `act_${account.id}`,
      account_id: account.id,
      name: account.name,
      currency: account.currency,
      timezone_name: 'Europe/Berlin',
      timezone_offset_hours_utc: 1,
      account_status: 1,
      min_daily_budget: minimumBudget(account),
      ...account.fields,
    },
    query,
    'account_id,id',
  );

const kinds = ['country', 'country_group', 'region', 'city', 'zip'];

export function search(query: Query): unknown {
  const q = (query['q'] ?? '').toLowerCase();
  const limit = Number(query['limit'] ?? 8);
  if (query['type'] === 'adinterest')
    return { data: interests.filter(({ name }) => name.toLowerCase().includes(q)).slice(0, limit) };
  if (query['type'] === 'adlocale')
    return { data: locales.filter(({ name }) => name.toLowerCase().includes(q)).slice(0, limit) };
  if (query['type'] !== 'adgeolocation') throw invalid('type is not valid', { field: 'type' });
  const types = listIn(query, 'location_types') ?? kinds;
  const odd = types.find((type) => !kinds.includes(String(type)));
  if (odd !== undefined) throw invalid(`${String(odd)} is not a location type`, { field: 'location_types' });
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
