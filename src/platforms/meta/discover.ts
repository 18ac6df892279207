import { z } from 'zod';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import { bidStrategies } from '../../contract/capability.ts';
import type {
  Access,
  AdAccount,
  AdMetrics,
  Budget,
  FoundAd,
  FoundAdSet,
  FoundCampaign,
  FoundPage,
} from '../platform.ts';
import { pausedBy } from '../effective-status.ts';
import {
  AmountText,
  Figure,
  figuresIn,
  InstantText,
  PlatformId,
  sorted,
  tolerant,
  type Figures,
  type Read,
} from '../tolerant.ts';
import { rejectionOf, statusFrom } from './status.ts';
import { budgetOf } from './budget.ts';
import type { Client } from './client.ts';
import { creativeOf, CreativeWire } from './creative-read.ts';
import { categoriesOf, regulationsOf } from './declarations.ts';
import { goalOf } from './goals.ts';
import { fromMinor } from './money.ts';
import { foundTargeting, TargetingWire } from './targeting-read.ts';
import { parametersOf } from './url-tags.ts';
import { actOf } from './wire.ts';

const text = z.string().optional();
const amount = AmountText.optional();
const instant = InstantText.optional();
const texts = z.array(z.string()).optional();
/** Without members it is an empty list. */
const identities = z
  .record(z.string(), PlatformId.nullable())
  .or(z.array(z.never()).transform(() => ({})))
  .optional();
export const Campaign = z.object({
  id: z.string(),
  name: z.string().default(''),
  objective: text,
  effective_status: z.string(),
  daily_budget: amount,
  lifetime_budget: amount,
  spend_cap: amount,
  special_ad_categories: texts,
  special_ad_category_country: texts,
  created_time: instant,
});
export const AdSet = z.object({
  id: z.string(),
  name: z.string().default(''),
  campaign_id: z.string(),
  status: text,
  effective_status: z.string(),
  optimization_goal: text,
  daily_budget: amount,
  lifetime_budget: amount,
  bid_strategy: text,
  bid_amount: z.union([z.number(), AmountText]).optional(),
  start_time: instant,
  end_time: instant,
  targeting: TargetingWire.optional(),
  regional_regulated_categories: texts,
  regional_regulation_identities: identities,
  created_time: instant,
});
const Ad = z.object({
  id: z.string(),
  name: z.string().default(''),
  adset_id: z.string(),
  campaign_id: z.string(),
  status: text,
  effective_status: z.string(),
  ad_review_feedback: z.unknown().optional(),
  created_time: instant,
  creative: CreativeWire.optional(),
});

export const fieldsOf = ({ shape }: z.ZodObject): string =>
  Object.keys(shape)
    .map((name) => (name === 'creative' ? 'creative{object_story_spec,url_tags}' : name))
    .join(',');

/** Metrics are requested by the ids of a page, and a URL may have about 8 000 characters. */
const onPage = '250';

/** Three flat lists of the account, and one metrics call per page. */
export async function* discover(client: Client, access: Access, adAccount: AdAccount): AsyncGenerator<FoundPage> {
  const act = actOf(adAccount.id);
  const { currency } = adAccount;
  const objectives = new Map<string, string | undefined>();
  const setsOff = new Set<string>();
  const list = <T extends z.ZodObject>(edge: string, shape: T, objectType: 'campaign' | 'ad_set' | 'ad') =>
    client.pages(access, `${act}/${edge}`, {
      item: tolerant<z.infer<T>>(shape as never, { objectType, idAt: ['id'], essential: ['status'] }),
      query: { fields: fieldsOf(shape), limit: onPage },
    });
  const figures = (level: Level, ids: string[]): Promise<Figures> => readFigures(client, access, { act, level, ids });
  for await (const page of list('campaigns', Campaign, 'campaign')) {
    const { found, problems } = sorted(page);
    for (const campaign of found) objectives.set(campaign.id, campaign.objective);
    const { of, problems: more } = await figures('campaign', idsOf(found));
    const campaigns = found.map((campaign) => ({ ...toCampaign(campaign, currency), metrics: of(campaign.id) }));
    yield { campaigns, problems: [...problems, ...more] };
  }
  for await (const page of list('adsets', AdSet, 'ad_set')) {
    const { found, problems } = sorted(page);
    for (const set of found) if (set.status === 'PAUSED') setsOff.add(set.id);
    const { of, problems: more } = await figures('adset', idsOf(found));
    const adSets = found.map((set) => ({
      ...toAdSet(set, objectives.get(set.campaign_id), currency),
      metrics: of(set.id),
      isPartial: set.isPartial || !objectives.has(set.campaign_id),
    }));
    yield { adSets, problems: [...problems, ...more] };
  }
  for await (const page of list('ads', Ad, 'ad')) {
    const { found, problems } = sorted(page);
    const { of, problems: more } = await figures('ad', idsOf(found));
    const ads = found.map((ad) => ({
      ...toAd(ad),
      metrics: of(ad.id),
      ...pausedBy(ad.status === 'PAUSED', setsOff.has(ad.adset_id)),
    }));
    yield { ads, problems: [...problems, ...more] };
  }
}

type Level = 'campaign' | 'adset' | 'ad';

const idsOf = (found: { id: string }[]): string[] => found.map(({ id }) => id);

/** Objects without impressions have no row, so there may be fewer rows than objects. */
async function readFigures(
  client: Client,
  access: Access,
  { act, level, ids }: { act: string; level: Level; ids: string[] },
): Promise<Figures> {
  const idField = `${level}_id`;
  const Row = z.object({ [idField]: z.string(), spend: Figure, impressions: Figure, clicks: Figure });
  const filtering = JSON.stringify([{ field: `${level}.id`, operator: 'IN', value: ids }]);
  const fields = `${idField},spend,impressions,clicks`;
  const query = { level, fields, date_preset: 'maximum', filtering, limit: onPage };
  const item = tolerant<AdMetrics & Record<string, unknown>>(Row as never, { objectType: 'figures', idAt: [idField] });
  return figuresIn(ids.length === 0 ? [] : client.pages(access, `${act}/insights`, { item, query }), (row) => {
    const { spend, impressions, clicks } = row;
    return [String(row[idField]), { spend, impressions, clicks }];
  });
}

export const toCampaign = (campaign: Read<z.infer<typeof Campaign>>, currency: string): FoundCampaign => ({
  id: campaign.id,
  name: campaign.name,
  status: statusFrom(campaign.effective_status),
  goal: goalOf(campaign.objective, undefined),
  ...levelOf(budgetOf(campaign, currency)),
  spendLimit: limitOf(campaign.spend_cap, currency),
  declarations: categoriesOf(campaign.special_ad_categories, campaign.special_ad_category_country),
  createdAt: dateOf(campaign.created_time),
  isPartial: campaign.isPartial,
});

export const toAdSet = (
  set: Read<z.infer<typeof AdSet>>,
  objective: string | undefined,
  currency: string,
): FoundAdSet => ({
  id: set.id,
  campaignId: set.campaign_id,
  name: set.name,
  status: statusFrom(set.effective_status),
  goal: goalOf(objective, set.optimization_goal),
  budget: budgetOf(set, currency),
  bidStrategy: strategyOf(set.bid_strategy),
  bidAmount: Number(set.bid_amount) > 0 ? fromMinor(set.bid_amount ?? 0, currency) : undefined,
  startDate: dateOf(set.start_time),
  endDate: dateOf(set.end_time),
  targeting: foundTargeting(set.targeting),
  declarations: set.isPartial
    ? undefined
    : regulationsOf(set.regional_regulated_categories, set.regional_regulation_identities),
  createdAt: dateOf(set.created_time),
});

function toAd(ad: Read<z.infer<typeof Ad>>): FoundAd {
  const status = statusFrom(ad.effective_status);
  return {
    id: ad.id,
    adSetId: ad.adset_id,
    campaignId: ad.campaign_id,
    name: ad.name,
    status,
    ...(status === 'rejected' && { rejectionReason: rejectionOf(ad) }),
    createdAt: dateOf(ad.created_time),
    creative: creativeOf(ad.creative),
    urlParameters: parametersOf(ad.creative?.url_tags),
    isPartial: ad.isPartial,
  };
}

/** Without a budget of the campaign, its ad sets carry theirs. */
const levelOf = (budget: Budget | undefined): Pick<FoundCampaign, 'budget' | 'budgetLevel'> =>
  budget ? { budget, budgetLevel: 'campaign' } : { budgetLevel: 'ad_set' };

/** Campaigns without a limit report none, or 0. */
const limitOf = (cap: string | undefined, currency: string): Budget | undefined =>
  Number(cap) > 0 ? { amount: fromMinor(cap ?? 0, currency), type: 'lifetime' } : undefined;

const strategyOf = (text: string | undefined): CreateAdInput['bidStrategy'] =>
  bidStrategies.find((strategy) => strategy === text);

/** The platform uses time 0 for no end. */
const dateOf = (time: string | undefined): Date | undefined => {
  const date = new Date(time ?? Number.NaN);
  return date.getTime() > 0 ? date : undefined;
};
