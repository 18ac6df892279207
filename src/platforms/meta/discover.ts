import { z } from 'zod';
import type { CreateAdInput } from '../../contract/ad.ts';
import { bidStrategies } from '../../contract/capability.ts';
import type { Access, AdAccount, AdMetrics, FoundAd, FoundAdSet, FoundCampaign, FoundPage } from '../platform.ts';
import { statusFrom } from './ad-status.ts';
import { budgetOf } from './budget.ts';
import type { Client } from './client.ts';
import { goalOf } from './goals.ts';
import { fromMinor } from './money.ts';
import { actOf } from './wire.ts';

const text = z.string().optional();
const Campaign = z.object({
  id: z.string(),
  name: z.string().default(''),
  objective: text,
  effective_status: z.string(),
  daily_budget: text,
  lifetime_budget: text,
  created_time: text,
});
const AdSet = z.object({
  id: z.string(),
  name: z.string().default(''),
  campaign_id: z.string(),
  status: text,
  effective_status: z.string(),
  optimization_goal: text,
  daily_budget: text,
  lifetime_budget: text,
  bid_strategy: text,
  bid_amount: z.union([z.number(), z.string()]).optional(),
  end_time: text,
});
const Ad = z.object({
  id: z.string(),
  name: z.string().default(''),
  adset_id: z.string(),
  campaign_id: z.string(),
  status: text,
  effective_status: z.string(),
  ad_review_feedback: z.unknown().optional(),
  created_time: text,
});
const figure = z.coerce.number().catch(0);
const Insight = z.object({ ad_id: z.string(), spend: figure, impressions: figure, clicks: figure });

const fieldsOf = (shape: z.ZodObject): string => Object.keys(shape.shape).join(',');

/** The figures of a page of ads are asked for by their ids, and an address may be some 8 000 characters long. */
const adsOnPage = '250';

/** Three flat lists read across the account, and one call for the figures of each page of ads. */
export async function* discover(client: Client, access: Access, adAccount: AdAccount): AsyncGenerator<FoundPage> {
  const act = actOf(adAccount.id);
  const { currency } = adAccount;
  const objectives = new Map<string, string | undefined>();
  const setsOff = new Set<string>();
  const query = (shape: z.ZodObject): Record<string, string> => ({ fields: fieldsOf(shape), limit: '500' });
  for await (const page of client.pages(access, `${act}/campaigns`, { item: Campaign, query: query(Campaign) })) {
    for (const campaign of page) objectives.set(campaign.id, campaign.objective);
    yield { campaigns: page.map((campaign) => toCampaign(campaign, currency)) };
  }
  for await (const page of client.pages(access, `${act}/adsets`, { item: AdSet, query: query(AdSet) })) {
    for (const set of page) if (set.status === 'PAUSED') setsOff.add(set.id);
    yield { adSets: page.map((set) => toAdSet(set, objectives.get(set.campaign_id), currency)) };
  }
  const ads = { ...query(Ad), limit: adsOnPage };
  for await (const page of client.pages(access, `${act}/ads`, { item: Ad, query: ads })) {
    const metrics = await metricsOf(client, access, { act, ads: page });
    yield {
      ads: page.map((ad) => ({
        ...toAd(ad, metrics.get(ad.id)),
        isOff: ad.status === 'PAUSED' || setsOff.has(ad.adset_id),
      })),
    };
  }
}

/** Ads that were never shown have no figures, so this list is shorter than that of the ads. */
async function metricsOf(
  client: Client,
  access: Access,
  { act, ads }: { act: string; ads: z.infer<typeof Ad>[] },
): Promise<Map<string, AdMetrics>> {
  const found = new Map<string, AdMetrics>();
  if (ads.length === 0) return found;
  const filtering = JSON.stringify([{ field: 'ad.id', operator: 'IN', value: ads.map(({ id }) => id) }]);
  const fields = 'ad_id,spend,impressions,clicks';
  const query = { level: 'ad', fields, date_preset: 'maximum', filtering, limit: adsOnPage };
  for await (const page of client.pages(access, `${act}/insights`, { item: Insight, query })) {
    for (const { ad_id: id, ...metrics } of page) found.set(id, metrics);
  }
  return found;
}

const toCampaign = (campaign: z.infer<typeof Campaign>, currency: string): FoundCampaign => ({
  id: campaign.id,
  name: campaign.name,
  status: statusFrom(campaign.effective_status),
  goal: goalOf(campaign.objective, undefined),
  budget: budgetOf(campaign, currency),
  createdAt: dateOf(campaign.created_time),
});

const toAdSet = (set: z.infer<typeof AdSet>, objective: string | undefined, currency: string): FoundAdSet => ({
  id: set.id,
  campaignId: set.campaign_id,
  name: set.name,
  status: statusFrom(set.effective_status),
  goal: goalOf(objective, set.optimization_goal),
  budget: budgetOf(set, currency),
  bidStrategy: strategyOf(set.bid_strategy),
  bidAmount: Number(set.bid_amount) > 0 ? fromMinor(set.bid_amount ?? 0, currency) : undefined,
  endDate: dateOf(set.end_time),
});

const toAd = (ad: z.infer<typeof Ad>, metrics: AdMetrics | undefined): FoundAd => ({
  id: ad.id,
  adSetId: ad.adset_id,
  campaignId: ad.campaign_id,
  name: ad.name,
  status: statusFrom(ad.effective_status),
  createdAt: dateOf(ad.created_time),
  metrics,
});

const strategyOf = (text: string | undefined): CreateAdInput['bidStrategy'] =>
  bidStrategies.find((strategy) => strategy === text);

/** Time 0 is the platform's way to say that there is no end. */
const dateOf = (time: string | undefined): Date | undefined => {
  const date = new Date(time ?? Number.NaN);
  return date.getTime() > 0 ? date : undefined;
};
