import { PlatformError } from '../error.ts';
import type { Access, AdRef, AdSetRef, Budget, CampaignRef, LevelChange, SwitchStatus } from '../platform.ts';
import type { Client } from './client.ts';
import { perDay, toMicros } from './money.ts';
import { digits } from './read-budget.ts';
import { cleanName, shortName } from './text.ts';
import { dayEndBy, daysBetween, fromAccountTime, toAccountTime } from '../../lib/account-time.ts';
import { adGroupName, adName, campaignName, CampaignRow, statusChange, type Operation } from './wire.ts';

const upstreamStatus: Record<SwitchStatus, string> = { ACTIVE: 'ENABLED', PAUSED: 'PAUSED' };

/** Budget and end date change in one mutate. */
export async function updateCampaign(
  client: Client,
  access: Access,
  campaign: CampaignRef,
  change: LevelChange,
): Promise<void> {
  const { adAccount, campaignId } = campaign;
  const { name, budget, currentBudget } = change;
  const endDate =
    typeof change.endDate === 'string' ? dayEndBy(new Date(change.endDate), adAccount.timezone) : change.endDate;
  const operations: Operation[] = [];
  const total = endDate && currentBudget?.type === 'lifetime' ? currentBudget : undefined;
  const requested = budget ?? total;
  if (requested) {
    const { resourceName, ...amount } = await budgetChange(client, access, {
      campaign,
      budget: requested,
      endDate: endDate ?? undefined,
    });
    // A new end date changes the daily amount of a spread total; a lifetime budget stays the same.
    if (budget || amount.amountMicros) {
      const mask = Object.keys(amount).join(',');
      operations.push(update('campaignBudgetOperation', { resourceName, ...amount }, mask, 'budgetAmount'));
    }
  }
  const resourceName = campaignName(adAccount.id, campaignId);
  if (endDate !== undefined) {
    // A field that is in the mask but not in the body is cleared.
    const end = endDate === null ? {} : { endDateTime: toAccountTime(endDate, adAccount.timezone) };
    operations.push(update('campaignOperation', { resourceName, ...end }, 'endDateTime', 'endDate'));
  }
  if (name !== undefined) {
    operations.push(update('campaignOperation', { resourceName, name: cleanName(name) }, 'name', 'name'));
  }
  if (operations.length > 0) await client.mutate(access, adAccount, { operations, isRepeatable: true });
}

/** An ad group has no budget and no end date. */
export async function updateAdSet(
  client: Client,
  access: Access,
  { adAccount, adSetId }: AdSetRef,
  { name = '' }: LevelChange,
): Promise<void> {
  const fields = { resourceName: adGroupName(adAccount.id, adSetId), name: shortName(name) };
  const operations = [update('adGroupOperation', fields, 'name', 'name')];
  await client.mutate(access, adAccount, { operations, isRepeatable: true });
}

const update = (kind: string, fields: Record<string, unknown>, updateMask: string, field: string): Operation => ({
  body: { [kind]: { update: fields, updateMask } },
  field,
});

interface Requested {
  campaign: CampaignRef;
  budget: Budget;
  endDate?: Date;
}

/** The type of a budget cannot be changed; a lifetime budget that was spread over the days is spread again. */
async function budgetChange(
  client: Client,
  access: Access,
  { campaign: { adAccount, campaignId }, budget, endDate }: Requested,
): Promise<{ resourceName: string; amountMicros?: string; totalAmountMicros?: string }> {
  const { currency, timezone } = adAccount;
  const text = `SELECT campaign.id, campaign.campaign_budget, campaign.start_date_time, campaign.end_date_time, campaign_budget.period, campaign_budget.amount_micros, campaign_budget.total_amount_micros, metrics.cost_micros FROM campaign WHERE campaign.id = ${digits(campaignId)}`;
  const [row] = await client.rows(access, adAccount, { schema: CampaignRow, text });
  const resourceName = row?.campaign.campaignBudget;
  if (!row || !resourceName) throw new PlatformError('B', 'not_found', `There is no campaign ${campaignId}`);
  const amount = toMicros(budget.amount, currency);
  const isTotal = row.campaignBudget?.period === 'CUSTOM_PERIOD';
  if (isTotal !== (budget.type === 'lifetime')) {
    const instantOf = (time = ''): Date | undefined => fromAccountTime(time, timezone);
    const start = instantOf(row.campaign.startDateTime);
    const end = endDate ?? instantOf(row.campaign.endDateTime);
    if (isTotal || !start || !end) {
      throw new PlatformError('B', 'unsupported', 'The platform cannot change the type of a budget', {
        fields: { budgetAmount: [`the campaign has a ${isTotal ? 'lifetime' : 'daily'} budget`] },
      });
    }
    const spent = BigInt(row.metrics?.costMicros ?? '0');
    const day = spread(amount, { start, end, now: access.clock.now(), timezone, currency, spent });
    return { resourceName, amountMicros: day.toString() };
  }
  return { resourceName, [isTotal ? 'totalAmountMicros' : 'amountMicros']: amount.toString() };
}

interface Run {
  start: Date;
  end: Date;
  now: Date;
  timezone?: string;
  currency: string;
  spent: bigint;
}

/** Spreads what remains of a total over the remaining days. */
function spread(total: bigint, { start, end, now, timezone, currency, spent }: Run): bigint {
  const isUnderWay = start < now && now < end;
  if (!isUnderWay) return perDay(total, daysBetween(start, end, timezone), currency);
  return perDay(total > spent ? total - spent : 0n, daysBetween(now, end, timezone), currency);
}

export async function setAdStatus(client: Client, access: Access, ad: AdRef, status: SwitchStatus): Promise<void> {
  const { adAccount, adSetId, adId } = ad;
  const id = adId.includes('~') ? adId : `${adSetId}~${adId}`;
  const operations = [statusChange(adName(adAccount.id, id), 'adGroupAdOperation', upstreamStatus[status])];
  await client.mutate(access, adAccount, { operations, isRepeatable: true });
}

export async function setAdSetStatus(
  client: Client,
  access: Access,
  { adAccount, adSetId }: AdSetRef,
  status: SwitchStatus,
): Promise<void> {
  const operations = [statusChange(adGroupName(adAccount.id, adSetId), 'adGroupOperation', upstreamStatus[status])];
  await client.mutate(access, adAccount, { operations, isRepeatable: true });
}

export async function setCampaignStatus(
  client: Client,
  access: Access,
  { adAccount, campaignId }: CampaignRef,
  status: SwitchStatus,
): Promise<void> {
  const resourceName = campaignName(adAccount.id, campaignId);
  const operations = [statusChange(resourceName, 'campaignOperation', upstreamStatus[status])];
  await client.mutate(access, adAccount, { operations, isRepeatable: true });
}
