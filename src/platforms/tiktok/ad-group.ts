import type { CreateAdInput } from '../../contract/ad-input.ts';
import { PlatformError } from '../error.ts';
import { variantsOf } from '../languages.ts';
import type { Access, AdOrder } from '../platform.ts';
import type { Client, Fields } from './client.ts';
import type { GoalPlan } from './goals.ts';
import { adGroupBudget } from './order-budget.ts';
import { Languages, Regions, toTime, type Region } from './wire.ts';

export const placements = ['PLACEMENT_TIKTOK'];

const minors = 'AGE_13_17';
const ageGroups = [
  { name: minors, from: 13, to: 17 },
  { name: 'AGE_18_24', from: 18, to: 24 },
  { name: 'AGE_25_34', from: 25, to: 34 },
  { name: 'AGE_35_44', from: 35, to: 44 },
  { name: 'AGE_45_54', from: 45, to: 54 },
  { name: 'AGE_55_100', from: 55, to: 100 },
];

/** Age groups that overlap the range; undefined leaves them to the platform. Minors must be asked for. */
export function ageGroupsOf({ ageMin, ageMax = 65, specialAdCategories = [] }: CreateAdInput): string[] | undefined {
  if ((ageMin ?? 13) === 13 && ageMax === 65 && specialAdCategories.length === 0) return undefined;
  const [first, last] = [ageMin ?? Math.min(18, ageMax), ageMax === 65 ? 100 : ageMax];
  return ageGroups.filter(({ from, to }) => to >= first && from <= last).map(({ name }) => name);
}

/** The platform's ids of the given countries; availability depends on the objective. */
export async function locationIds(client: Client, access: Access, order: AdOrder, plan: GoalPlan): Promise<string[]> {
  const { countries = ['US'] } = order.input;
  const query = {
    advertiser_id: order.adAccount.id,
    placements,
    objective_type: plan.campaign['objective_type'],
    level_range: 'TO_COUNTRY',
  };
  const { region_info: regions } = await client.read(access, 'tool/region', { schema: Regions, query });
  const byCode = new Map(
    regions.filter(({ level }) => level === 'COUNTRY').map((region) => [region.region_code, region.location_id]),
  );
  const missing = countries.filter((code) => !byCode.has(code));
  if (missing.length > 0) {
    const message = `The platform does not show this kind of ad in ${missing.join(', ')}`;
    throw new PlatformError('D', 'rejected', message, { fields: { countries: [message] } });
  }
  requireAdults(order.input, regions, countries);
  return countries.map((code) => byCode.get(code) ?? '');
}

/** The platform's codes of the requested languages. */
export async function languageCodesOf(
  client: Client,
  access: Access,
  { input: { languages }, adAccount }: AdOrder,
): Promise<string[] | undefined> {
  if (!languages) return undefined;
  const known = await client.read(access, 'tool/language', {
    schema: Languages,
    query: { advertiser_id: adAccount.id },
  });
  return variantsOf(
    'D',
    languages,
    known.languages.map(({ code }) => ({ code, key: code })),
  );
}

/** The platform reports where it does not show ads to minors. */
function requireAdults(input: CreateAdInput, regions: Region[], countries: string[]): void {
  if (!ageGroupsOf(input)?.includes(minors)) return;
  const adultsOnly = regions.filter(({ level, support_below_18: isOpen }) => level === 'COUNTRY' && isOpen === false);
  const codes = new Set(adultsOnly.map((region) => region.region_code));
  const closed = countries.filter((code) => codes.has(code));
  if (closed.length === 0) return;
  const path = input.ageMin === undefined ? 'ageMax' : 'ageMin';
  const message = `The platform does not show ads to people below 18 in ${closed.join(', ')}`;
  throw new PlatformError('D', 'rejected', message, { fields: { [path]: [message] } });
}

export interface Target {
  locations: string[];
  languages?: string[];
}

export function adGroupFields(
  { input, budgetLevel, adAccount, names }: AdOrder,
  plan: GoalPlan,
  { campaignId, start, ...target }: { campaignId: string; start: Date } & Target,
): Fields {
  const { endDate, interests, audienceId, excludedAudienceIds } = input;
  return {
    advertiser_id: adAccount.id,
    campaign_id: campaignId,
    adgroup_name: names.adSet,
    placement_type: 'PLACEMENT_TYPE_NORMAL',
    placements,
    // Left out, it becomes true for most objectives and cannot be changed later.
    search_result_enabled: false,
    location_ids: target.locations,
    languages: target.languages,
    gender: 'GENDER_UNLIMITED',
    age_groups: ageGroupsOf(input),
    interest_category_ids: interests?.map(({ id }) => id),
    audience_ids: audienceId === undefined ? undefined : [audienceId],
    excluded_audience_ids: excludedAudienceIds,
    ...adGroupBudget({ input, budgetLevel }),
    schedule_type: endDate ? 'SCHEDULE_START_END' : 'SCHEDULE_FROM_NOW',
    schedule_start_time: toTime(start),
    schedule_end_time: endDate && toTime(new Date(endDate)),
    pacing: 'PACING_MODE_SMOOTH',
    operation_status: 'ENABLE',
    ...plan.adGroup,
    ...bidFields(input, plan),
  };
}

function bidFields({ bidStrategy, bidAmount, roasAverageFloor }: CreateAdInput, { bidField }: GoalPlan): Fields {
  if (bidStrategy === 'LOWEST_COST_WITH_MIN_ROAS') {
    // A custom bid would require a price: the bid here is a return target.
    return { bid_type: 'BID_TYPE_NO_BID', deep_bid_type: 'VO_MIN_ROAS', roas_bid: roasAverageFloor };
  }
  return bidAmount === undefined
    ? { bid_type: 'BID_TYPE_NO_BID' }
    : { bid_type: 'BID_TYPE_CUSTOM', [bidField]: bidAmount };
}
