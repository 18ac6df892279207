import { z } from 'zod';
import type {
  Access,
  AdAccount,
  InterestOption,
  NoteProblem,
  TargetingOption,
  TargetingQuery,
  TargetingType,
} from '../platform.ts';
import { PlatformError } from '../error.ts';
import { readable, tolerant, type Item } from '../tolerant.ts';
import { placements } from './ad-group.ts';
import type { Client } from './client.ts';
import { codes } from './errors.ts';
import { Advertiser, AdvertiserInfo, InterestCategory, Languages, Regions, type Region } from './wire.ts';

/** Advertisers per request. */
const infoBatch = 100;
const described = { objectType: 'ad_account', idAt: ['advertiser_id'] } as const;

export async function listAdAccounts(
  client: Client,
  access: Access,
  app: { clientId?: string; clientSecret?: string },
  note?: NoteProblem,
): Promise<AdAccount[]> {
  const { list } = await client.read(access, 'oauth2/advertiser/get', {
    schema: z.object({ list: z.array(tolerant(Advertiser, described)) }),
    query: { app_id: app.clientId, secret: app.clientSecret },
  });
  const ids = readable(list, note).map(({ advertiser_id: id }) => id);
  const batches = Array.from({ length: Math.ceil(ids.length / infoBatch) }, (_, at) =>
    ids.slice(at * infoBatch, (at + 1) * infoBatch),
  );
  const batchResults = await Promise.all(batches.map((batch) => readInfos(client, access, batch)));
  const infos = batchResults.flatMap((batch) => batch.infos);
  // If nothing can be read, the advertisers are not the cause.
  const [refusal] = batchResults.flatMap(({ refusals }) => refusals);
  if (infos.length === 0 && refusal) throw refusal.error;
  for (const { id, error } of batchResults.flatMap(({ refusals }) => refusals)) {
    note?.({ objectType: 'ad_account', platformId: id, field: null, message: error.message, isSkipped: true });
  }
  return readable(infos, note).map(toAdAccount);
}

interface Infos {
  infos: Item<AdvertiserInfo>[];
  refusals: { id: string; error: PlatformError }[];
}

/** One advertiser that left its business fails the whole batch: halve it until that one is left. */
async function readInfos(client: Client, access: Access, ids: string[]): Promise<Infos> {
  try {
    const { list } = await client.read(access, 'advertiser/info', {
      schema: z.object({ list: z.array(tolerant(AdvertiserInfo, { ...described, essential: ['status'] })) }),
      query: {
        advertiser_ids: ids,
        fields: ['advertiser_id', 'name', 'currency', 'timezone', 'status', 'rejection_reason'],
      },
    });
    return { infos: list, refusals: [] };
  } catch (error) {
    if (!isOfAdvertiser(error)) throw error;
    const [id = ''] = ids;
    if (ids.length < 2) return { infos: [], refusals: [{ id, error }] };
    const half = Math.ceil(ids.length / 2);
    const [one, other] = await Promise.all([
      readInfos(client, access, ids.slice(0, half)),
      readInfos(client, access, ids.slice(half)),
    ]);
    return { infos: [...one.infos, ...other.infos], refusals: [...one.refusals, ...other.refusals] };
  }
}

/** A missing permission has the same code, but concerns every advertiser. */
const isOfAdvertiser = (error: unknown): error is PlatformError =>
  error instanceof PlatformError &&
  error.upstream.missingScopes === undefined &&
  (error.upstream.code === codes.noPermission || error.fault === 'not_found');

const toAdAccount = (info: AdvertiserInfo): AdAccount => ({
  id: info.advertiser_id,
  name: info.name,
  currency: info.currency,
  timezone: info.timezone,
  isActive: info.status === undefined || info.status === 'STATUS_ENABLE',
  status: info.status,
  ...(info.rejection_reason && { statusReason: info.rejection_reason }),
});

const levels: Partial<Record<TargetingType, string>> = { country: 'COUNTRY', region: 'PROVINCE', city: 'CITY' };
const advertiserOf = ({ adAccount }: Pick<TargetingQuery, 'adAccount'>): string => adAccount?.id ?? '';

export async function searchTargeting(
  client: Client,
  access: Access,
  query: TargetingQuery,
): Promise<TargetingOption[]> {
  if (query.type === 'language') return searchLanguages(client, access, query);
  const level = levels[query.type];
  if (!level) return [];
  const { region_info: regions } = await client.read(access, 'tool/region', {
    schema: Regions,
    query: {
      advertiser_id: advertiserOf(query),
      placements,
      objective_type: 'TRAFFIC',
      level_range: `TO_${level}`,
    },
  });
  const requested = query.q.toLowerCase();
  const byId = new Map(regions.map((region) => [region.location_id, region]));
  return regions
    .filter((region) => region.level === level && region.name.toLowerCase().includes(requested))
    .map((region) => toOption(region, query.type, byId))
    .filter(({ countryCode }) => !query.countryCode || countryCode === query.countryCode)
    .slice(0, query.limit);
}

function toOption(region: Region, type: TargetingType, byId: Map<string, Region>): TargetingOption {
  const country = type === 'country' ? region : byId.get(region.parent_id ?? '');
  return {
    key: type === 'country' ? (region.region_code ?? region.location_id) : region.location_id,
    name: region.name,
    type,
    countryCode: region.country_code ?? country?.region_code ?? undefined,
    ...(type === 'city' && country?.level === 'PROVINCE' && { region: country.name }),
  };
}

async function searchLanguages(client: Client, access: Access, query: TargetingQuery): Promise<TargetingOption[]> {
  const { languages } = await client.read(access, 'tool/language', {
    schema: Languages,
    query: { advertiser_id: advertiserOf(query) },
  });
  return languages
    .filter(({ name }) => name.toLowerCase().includes(query.q.toLowerCase()))
    .slice(0, query.limit)
    .map(({ code, name }) => ({ key: code, name, type: 'language' }));
}

export async function searchInterests(
  client: Client,
  access: Access,
  query: Omit<TargetingQuery, 'type'>,
): Promise<InterestOption[]> {
  const { interest_categories: categories } = await client.read(access, 'tool/interest_category', {
    schema: z.object({ interest_categories: z.array(InterestCategory) }),
    query: { advertiser_id: advertiserOf(query), version: 2, language: 'en' },
  });
  return categories
    .filter(({ interest_category_name: name }) => name.toLowerCase().includes(query.q.toLowerCase()))
    .slice(0, query.limit)
    .map(({ interest_category_id: id, interest_category_name: name }) => ({ id, name }));
}
