import type { TargetingSearchInput, TargetingSearchResult } from '../../contract/lookup.ts';
import type { TargetingOption } from '../../platforms/platform.ts';
import { callPlatform } from '../accounts/platform-access.ts';
import type { Ctx } from '../context.ts';
import { lookUpAdAccount, lookUpTarget } from './lookup-target.ts';

/** Searches places and languages that the account's platform can target. */
export async function searchTargeting(ctx: Ctx, input: TargetingSearchInput): Promise<TargetingSearchResult> {
  const { accountId, adAccountId, type, q, limit, countryCode = input.country_code } = input;
  const target = await lookUpTarget(ctx, accountId);
  const adAccount = await lookUpAdAccount(ctx, target, adAccountId);
  const found = await callPlatform(ctx, target.account, (access) =>
    target.adapter.searchTargeting(access, { type, q, countryCode, limit, adAccount }),
  );
  await rememberCountries(ctx, target.adapter.platform, found);
  return {
    results: found.map((option) => ({
      key: option.key,
      name: option.name,
      type: option.type,
      countryCode: option.countryCode ?? null,
      countryName: option.countryName ?? null,
      region: option.region ?? null,
    })),
  };
}

/** The EU rule reads the country of a city or region if the caller omits it. */
async function rememberCountries({ db, clock }: Ctx, platform: string, found: TargetingOption[]): Promise<void> {
  const places = found.filter(({ type, countryCode }) => (type === 'city' || type === 'region') && countryCode);
  if (places.length === 0) return;
  const seenAt = clock.now();
  await db.places.bulkWrite(
    places.map(({ type, key, countryCode }) => ({
      updateOne: {
        filter: { _id: `${platform}:${type}:${key}` },
        update: { $set: { countryCode, seenAt } },
        upsert: true,
      },
    })),
    { ordered: false },
  );
}
