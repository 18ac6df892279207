import { Ad } from '../contract/ad.ts';
import { AdSet, Campaign } from '../contract/campaign.ts';
import { AdAccount } from '../contract/lookup.ts';
import { AdReport } from '../contract/report.ts';
import { InsightsInput, presetDays } from '../contract/report-input.ts';
import type { ReportLevel } from '../contract/reporting/metrics.ts';
import { insightsKey, insightsOf, insightsWeight } from '../services/reports/insights.ts';
import type { GraphContext } from './builder.ts';
import { argsOf, objectType, type AnyObject, type FieldBuilder } from './from-contract.ts';
import { load } from './loaders.ts';
import { addField } from './relation-fields.ts';
import { validateInput } from './validate-args.ts';

const dayMs = 86_400_000;

/** Longer ranges cost more; what is selected of a report is free. */
function cost({ fromDate, toDate, datePreset = 'last_30_days' }: InsightsInput): object {
  const isGiven = fromDate !== undefined && toDate !== undefined;
  const days = isGiven ? (Date.parse(toDate) - Date.parse(fromDate)) / dayMs + 1 : presetDays[datePreset];
  return { field: 5 + Math.ceil(days / 30), multiplier: 0 };
}

/** The figures of an object; null if it is not at its platform. */
const addInsights = <P extends AnyObject>(
  parent: P,
  level: ReportLevel,
  key: (parent: ReturnType<P['parse']>) => [accountId: string, adAccountId: string, platformId: string | null],
): void =>
  addField([parent], 'insights', (t: FieldBuilder) => ({
    type: objectType(AdReport),
    nullable: true,
    description: `Its figures for a range of days; null if it is not at its platform. Counts ${insightsWeight} units of the rate limit for up to 100 objects of an ad account.`,
    args: argsOf(t, InsightsInput),
    validate: validateInput(InsightsInput, { dropNulls: true }),
    complexity: cost,
    resolve: async (record: ReturnType<P['parse']>, input: InsightsInput, ctx: GraphContext) => {
      const [accountId, adAccountId, platformId] = key(record);
      if (platformId === null) return null;
      const found = await load(ctx, insightsOf, insightsKey(accountId, adAccountId, platformId), { level, input });
      if (found instanceof Error) throw found;
      return found;
    },
  }));

addInsights(AdAccount, 'account', ({ accountId, id }) => [accountId, id, id]);
addInsights(Campaign, 'campaign', ({ accountId, platformAdAccountId, platformCampaignId }) => [
  accountId,
  platformAdAccountId,
  platformCampaignId,
]);
addInsights(AdSet, 'ad_set', ({ accountId, platformAdAccountId, platformAdSetId }) => [
  accountId,
  platformAdAccountId,
  platformAdSetId,
]);
addInsights(Ad, 'ad', ({ accountId, platformAdAccountId, platformAdId }) => [
  accountId,
  platformAdAccountId,
  platformAdId,
]);
