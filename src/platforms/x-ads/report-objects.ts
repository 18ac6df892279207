import { z } from 'zod';
import { addDays } from '../../lib/calendar-days.ts';
import { chunksOf } from '../../lib/chunks.ts';
import { segment } from '../../lib/segment.ts';
import type { Access, ReportQuery } from '../platform.ts';
import { InstantText, PlatformId } from '../tolerant.ts';
import type { Client, Params } from './client.ts';
import { instant } from './create-ads.ts';
import { incomplete } from './report-rows.ts';
import { dayStart } from './report-windows.ts';
import { AccountWire, pageOf } from './wire.ts';

/** The account's own figures lack clicks and spend, so they are added up from its campaigns. */
export type ObjectLevel = Exclude<ReportQuery['level'], 'account'>;
export const levelOf = ({ level }: ReportQuery): ObjectLevel => (level === 'account' ? 'campaign' : level);
export const accountPath = ({ adAccount }: ReportQuery): string => `accounts/${segment(adAccount.id)}`;

export const entities: Record<ObjectLevel, string> = {
  campaign: 'CAMPAIGN',
  ad_set: 'LINE_ITEM',
  ad: 'PROMOTED_TWEET',
};
/** All together are what the platform shows in its own tools. */
export const placements = ['ALL_ON_TWITTER', 'SPOTLIGHT', 'TREND'];

/** An object with figures to read, and the placements that may have some. */
export interface Target {
  id: string;
  placements: readonly string[];
}

const lists: Record<ObjectLevel, { path: string; ids: string }> = {
  campaign: { path: 'campaigns', ids: 'campaign_ids' },
  ad_set: { path: 'line_items', ids: 'line_item_ids' },
  ad: { path: 'promoted_tweets', ids: 'promoted_tweet_ids' },
};
const maxListed = 200;
const time = InstantText.optional().nullable();
const Listed = z.object({
  id: PlatformId,
  campaign_id: PlatformId.optional(),
  line_item_id: PlatformId.optional(),
  created_at: time,
  updated_at: time,
  end_time: time,
  deleted: z.boolean().optional(),
});
type Listed = z.infer<typeof Listed>;
const Active = z.object({
  data: z.array(
    z.object({
      entity_id: PlatformId,
      activity_start_time: InstantText,
      activity_end_time: InstantText,
      placements: z.array(z.string()),
    }),
  ),
});

const hourMs = 3_600_000;
const longestActivityMs = 90 * 24 * hourMs;

/** The ad account's time zone; older records lack it. */
export async function timeZoneOf(client: Client, access: Access, { adAccount }: ReportQuery): Promise<string> {
  if (adAccount.timezone) return adAccount.timezone;
  const params = { account_ids: adAccount.id };
  const { data } = await client.read(access, 'accounts', { schema: pageOf(AccountWire), params });
  const [account] = data;
  if (account?.timezone) return account.timezone;
  throw incomplete('The platform reports no time zone of the ad account');
}

/**
 * The objects to read. For ranges that the list of active objects covers, the platform asks to read no others; for
 * earlier ones all that existed, deleted ones included.
 */
export async function targetsOf(
  client: Client,
  access: Access,
  query: ReportQuery,
  timeZone: string,
): Promise<Target[]> {
  const start = dayStart(query.fromDate, timeZone);
  const end = dayStart(addDays(query.toDate, 1), timeZone);
  const since = Math.floor(start.getTime() / hourMs) * hourMs;
  const until = (Math.floor(access.clock.now().getTime() / hourMs) + 1) * hourMs;
  if (until - since > longestActivityMs) {
    const found = await existing(client, access, query);
    return found.filter((one) => mayHaveDelivered(one, start, end)).map(({ id }) => ({ id, placements }));
  }
  const { data } = await client.read(access, `stats/${accountPath(query)}/active_entities`, {
    schema: Active,
    params: {
      entity: entities[levelOf(query)],
      start_time: instant(new Date(since)),
      end_time: instant(new Date(until)),
      ...filterOf(query.within),
    },
  });
  const isWithin = (id: string): boolean => query.within?.level !== 'ad' || query.within.ids.includes(id);
  return data
    .filter((one) => new Date(one.activity_start_time) < end && new Date(one.activity_end_time) >= start)
    .map((one) => ({ id: one.entity_id, placements: placements.filter((name) => one.placements.includes(name)) }))
    .filter(({ id, placements: named }) => named.length > 0 && isWithin(id));
}

/** Overspend after the end of an object is credited, so a day more is enough. */
const creditedMs = 24 * hourMs;

function mayHaveDelivered(one: Listed, start: Date, end: Date): boolean {
  const isBefore = (at: string | null | undefined, ms = 0): boolean =>
    Boolean(at) && Date.parse(at ?? '') + ms < start.getTime();
  if (one.created_at && new Date(one.created_at) >= end) return false;
  return !(one.deleted && isBefore(one.updated_at)) && !isBefore(one.end_time, creditedMs);
}

/** Both filters apply at every level below. */
const filterOf = (within: ReportQuery['within']): Params =>
  within && within.level !== 'ad' ? { [lists[within.level].ids]: within.ids.join(',') } : {};

async function existing(client: Client, access: Access, query: ReportQuery): Promise<Listed[]> {
  const { within } = query;
  const level = levelOf(query);
  if (!within) return listed(client, access, query, { level });
  if (level === 'ad' && within.level === 'campaign') {
    const items = await listed(client, access, query, { level: 'ad_set', by: 'campaign', ids: within.ids });
    return listed(client, access, query, { level, by: 'ad_set', ids: items.map(({ id }) => id) });
  }
  return listed(client, access, query, { level, by: within.level, ids: within.ids });
}

interface Listing {
  level: ObjectLevel;
  /** The level of the ids; all objects of the ad account without them. */
  by?: ObjectLevel;
  ids?: readonly string[];
}

async function listed(
  client: Client,
  access: Access,
  query: ReportQuery,
  { level, by, ids }: Listing,
): Promise<Listed[]> {
  const found: Listed[] = [];
  const filters: Params[] =
    by && ids ? chunksOf(ids, maxListed).map((some) => ({ [lists[by].ids]: some.join(',') })) : [{}];
  for (const filter of filters)
    for await (const page of client.pages(access, `${accountPath(query)}/${lists[level].path}`, {
      item: Listed,
      params: { with_deleted: true, ...filter },
    }))
      found.push(...page);
  return found;
}

export interface Parents {
  campaignId?: string;
  adSetId?: string;
}

/** Figures name no parents. */
export async function parentsOf(
  client: Client,
  access: Access,
  query: ReportQuery,
  ids: readonly string[],
): Promise<Map<string, Parents>> {
  const read = (level: ObjectLevel, some: readonly string[]) =>
    listed(client, access, query, { level, by: level, ids: some });
  if (query.level === 'ad_set') {
    const items = await read('ad_set', ids);
    return new Map(items.map(({ id, campaign_id: campaignId }) => [id, { campaignId }]));
  }
  if (query.level !== 'ad') return new Map();
  const ads = await read('ad', ids);
  const items = await read('ad_set', [...new Set(ads.flatMap(({ line_item_id: id }) => id ?? []))]);
  const campaigns = new Map(items.map(({ id, campaign_id: campaignId }) => [id, campaignId]));
  return new Map(
    ads.map(({ id, line_item_id: adSetId }) => [id, { adSetId, campaignId: campaigns.get(adSetId ?? '') }]),
  );
}
