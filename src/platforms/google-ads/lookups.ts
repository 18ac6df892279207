import { PlatformError } from '../error.ts';
import type { Access, AdAccount, InterestOption, TargetingOption, TargetingQuery, TargetingType } from '../platform.ts';
import { listAdAccounts } from './ad-accounts.ts';
import type { Client } from './client.ts';
import { quotedPart } from './text.ts';
import { InterestRow, LanguageRow } from './wire.ts';

/** Maps our location types to the platform's; it has many between country and city. */
const isOfType: Record<Exclude<TargetingType, 'language'>, (targetType: string) => boolean> = {
  country: (type) => type === 'Country',
  city: (type) => ['City', 'Municipality', 'Borough', 'City Region', 'District'].includes(type),
  zip: (type) => type === 'Postal Code',
  region: (type) =>
    [
      'State',
      'Province',
      'Region',
      'County',
      'Prefecture',
      'Canton',
      'Department',
      'Governorate',
      'Territory',
      'Union Territory',
      'Autonomous Community',
      'Okrug',
    ].includes(type),
};

export async function searchTargeting(
  client: Client,
  access: Access,
  query: TargetingQuery,
): Promise<TargetingOption[]> {
  const { type, q, countryCode, limit } = query;
  if (type === 'language') return searchLanguages(client, access, query);
  const question = { locale: 'en', ...(countryCode && { countryCode }), locationNames: { names: [q] } };
  const { geoTargetConstantSuggestions: suggestions } = await client.suggestPlaces(access, question);
  return suggestions
    .map(({ geoTargetConstant }) => geoTargetConstant)
    .filter(({ targetType, status }) => status === 'ENABLED' && isOfType[type](targetType))
    .slice(0, limit)
    .map((place) => {
      // `Hamburg,Hamburg,Germany`: from the location itself up to its country.
      const names = place.canonicalName?.split(',') ?? [];
      return {
        key: type === 'country' ? (place.countryCode ?? place.id) : place.id,
        name: place.name,
        type,
        countryCode: place.countryCode,
        countryName: names.at(-1) ?? (type === 'country' ? place.name : undefined),
        ...(names.length > 2 && { region: names.at(-2) }),
      };
    });
}

async function searchLanguages(
  client: Client,
  access: Access,
  { q, limit, adAccount }: TargetingQuery,
): Promise<TargetingOption[]> {
  const text = `SELECT language_constant.id, language_constant.name FROM language_constant WHERE language_constant.targetable = TRUE AND language_constant.name LIKE ${quotedPart(q)} LIMIT ${limit}`;
  const customer = adAccount ?? (await anyAccount(client, access));
  const rows = await client.rows(access, customer, { schema: LanguageRow, text });
  return rows.map(({ languageConstant: { id, name } }) => ({ key: id, name, type: 'language' }));
}

/** Other kinds of interests exist that an ad group refuses. */
const isUsable = "user_interest.taxonomy_type IN ('AFFINITY', 'IN_MARKET') AND user_interest.launched_to_all = TRUE";

export async function searchInterests(
  client: Client,
  access: Access,
  { q, limit, adAccount }: Omit<TargetingQuery, 'type'>,
): Promise<InterestOption[]> {
  const text = `SELECT user_interest.user_interest_id, user_interest.name, user_interest.taxonomy_type FROM user_interest WHERE user_interest.name LIKE ${quotedPart(q)} AND ${isUsable} LIMIT ${limit}`;
  const customer = adAccount ?? (await anyAccount(client, access));
  const rows = await client.rows(access, customer, { schema: InterestRow, text });
  return rows.map(({ userInterest: { userInterestId, name, taxonomyType } }) => ({
    id: userInterestId,
    name,
    ...(taxonomyType && { path: [taxonomyType, name] }),
  }));
}

/** These lists are global, but the request requires an account. */
async function anyAccount(client: Client, access: Access): Promise<AdAccount> {
  const account = (await listAdAccounts(client, access)).find(({ isActive }) => isActive);
  if (!account)
    throw new PlatformError('B', 'rejected', 'The connection has no active ad account, which this look-up requires');
  return account;
}
