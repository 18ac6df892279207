import { segment } from '../../lib/segment.ts';
import { endOfWidth } from '../display-width.ts';
import { PlatformError } from '../error.ts';
import { micro } from '../micro.ts';
import type { Access, AdOrder, CreatedAds, Creating, Journal } from '../platform.ts';
import { startAfter } from '../start.ts';
import type { Client, Params } from './client.ts';
import { createFinder, type Finder } from './find.ts';
import { planGoal } from './goals.ts';
import { linkOf } from './link.ts';
import { readStatus } from './status.ts';
import { ageBucketOf, criteriaOf, type Criterion } from './targeting.ts';
import {
  CreatedCriteria,
  FundingInstrument,
  isUsable,
  Made,
  pageOf,
  PromotableUser,
  Promoted,
  CreatedTweet,
} from './wire.ts';

export interface CreateContext extends Creating<Client> {
  find: Finder;
  /** The ad account's path. */
  account: string;
}

/** The platform takes 500, but the steps of orders that are under way were numbered with this size. */
const batchSize = 40;
/** A start in the past may be rejected, and an order may continue hours after it was placed. */
const leadMs = 120_000;
/** Line items own their flight and need an end. */
const openEndMs = 365 * 86_400_000;

/**
 * Creates post, campaign, line item, targeting and promotion; activates the campaign last, so that an incomplete ad
 * never spends.
 */
export async function createAds(client: Client, access: Access, order: AdOrder, journal: Journal): Promise<CreatedAds> {
  const account = `accounts/${segment(order.adAccount.id)}`;
  const cascade: CreateContext = { client, access, order, journal, account, find: createFinder(client, access, order) };
  const { goal, input, names } = order;
  if (!goal) throw new PlatformError('E', 'rejected', 'goal is required');
  const plan = planGoal(goal, input);
  ageBucketOf(input);
  const [fundingId, userId, criteria] = await Promise.all([
    unlessResumed(journal, fundingOf(cascade)),
    unlessResumed(journal, adapterFor(cascade)),
    criteriaOf(client, access, input),
  ]);
  const tweetId = await createTweet(cascade, userId);
  const campaignId = await create(cascade, {
    step: 'campaign',
    path: `${account}/campaigns`,
    params: campaignParams(order, fundingId),
    find: () => cascade.find.campaign(names.campaign),
  });
  const start = startAfter(order, access.clock.now(), leadMs);
  const lineItemId = await create(cascade, {
    step: 'adSet',
    path: `${account}/line_items`,
    params: lineItemParams(order, plan, { campaignId, start }),
    startDate: start,
    find: () => cascade.find.lineItem(campaignId, names.adSet),
  });
  await target(cascade, lineItemId, criteria);
  const adId = await promote(cascade, lineItemId, tweetId);
  await activate(cascade, 'activateSet', `${account}/line_items/${segment(lineItemId)}`);
  if (input.status !== 'PAUSED') await activate(cascade, 'activate', `${account}/campaigns/${segment(campaignId)}`);
  return {
    platformCampaignId: campaignId,
    platformAdSetId: lineItemId,
    campaignName: names.campaign,
    adSetName: names.adSet,
    ads: [await readStatus(cascade, lineItemId, adId)],
  };
}

/** Objects of an earlier run are searched first: a missing payer blocks only what is still to be created. */
const unlessResumed = (journal: Journal, looked: Promise<string>): Promise<string> =>
  looked.catch((error: unknown) => {
    if (journal.isBegun && error instanceof PlatformError && error.fault === 'rejected') return '';
    throw error;
  });

/** Budgets are in the currency of the funding instrument. */
async function fundingOf({ client, access, order, account }: CreateContext): Promise<string> {
  const { data } = await client.read(access, `${account}/funding_instruments`, { schema: pageOf(FundingInstrument) });
  const { currency } = order.adAccount;
  const usable = data.find((one) => isUsable(one) && one.currency === currency);
  if (usable) return usable.id;
  const message = `The ad account has no usable funding instrument in ${currency}`;
  throw new PlatformError('E', 'rejected', message, { fields: { adAccountId: [message] } });
}

async function adapterFor({ client, access, account }: CreateContext): Promise<string> {
  const { data } = await client.read(access, `${account}/promotable_users`, { schema: pageOf(PromotableUser) });
  const full = data.filter((one) => one.promotable_user_type === 'FULL');
  const user = full.find((one) => one.user_id === access.platformAccountId) ?? full[0];
  if (user) return user.user_id;
  const message = 'The ad account may not promote the posts of any user';
  throw new PlatformError('E', 'rejected', message, { fields: { adAccountId: [message] } });
}

/** A post that is only shown as an ad. The link follows the text. */
async function createTweet(
  { client, access, order, journal, account, find }: CreateContext,
  userId: string,
): Promise<string> {
  const { body } = order.input;
  const params = {
    as_user_id: userId,
    text: [body, linkOf(order.input)].filter(Boolean).join(' '),
    nullcast: true,
    trim_user: true,
    name: tweetName(order),
  };
  const path = `${account}/tweet`;
  return journal.run({
    name: 'creative.0',
    request: client.show(path, params),
    send: async () => (await client.write(access, path, { schema: CreatedTweet, params })).data.id_str,
    find: () => find.tweet(userId, params.name),
  });
}

const tweetNameLength = 80;
const tweetName = ({ names }: AdOrder): string => endOfWidth(names.ads[0] ?? names.campaign, tweetNameLength);

const campaignParams = ({ input, names }: AdOrder, fundingId: string): Params => ({
  funding_instrument_id: fundingId,
  name: names.campaign,
  entity_status: 'PAUSED',
  budget_optimization: 'LINE_ITEM',
  // The line item has the lifetime budget; the campaign's required daily limit then has no effect.
  daily_budget_amount_local_micro: micro('E', input.budgetAmount ?? 0),
  ...(input.budgetType === 'lifetime' && { total_budget_amount_local_micro: micro('E', input.budgetAmount ?? 0) }),
});

function lineItemParams(
  { input, names }: AdOrder,
  plan: Params,
  { campaignId, start }: { campaignId: string; start: Date },
): Params {
  const { budgetAmount = 0, budgetType, bidAmount, endDate } = input;
  const kind = budgetType === 'lifetime' ? 'total' : 'daily';
  return {
    campaign_id: campaignId,
    name: names.adSet,
    product_type: 'PROMOTED_TWEETS',
    placements: 'ALL_ON_TWITTER',
    start_time: instant(start),
    end_time: instant(endDate ? new Date(endDate) : new Date(start.getTime() + openEndMs)),
    entity_status: 'PAUSED',
    [`${kind}_budget_amount_local_micro`]: micro('E', budgetAmount),
    bid_amount_local_micro: bidAmount === undefined ? undefined : micro('E', bidAmount),
    ...plan,
  };
}

export const instant = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;

interface Creation {
  step: string;
  path: string;
  params: Params;
  startDate?: Date;
  find: () => Promise<string | undefined>;
}

const create = (
  { client, access, journal }: CreateContext,
  { step, path, params, startDate, find }: Creation,
): Promise<string> =>
  journal.run({
    name: step,
    request: client.show(path, params),
    startDate,
    send: async () => (await client.write(access, path, { schema: Made, params })).data.id,
    find,
  });

async function target(cascade: CreateContext, lineItemId: string, criteria: Criterion[]): Promise<void> {
  const { client, access, journal, find } = cascade;
  const path = `batch/${cascade.account}/targeting_criteria`;
  for (let from = 0; from < criteria.length; from += batchSize) {
    const batch = criteria.slice(from, from + batchSize);
    const json = batch.map((criterion) => ({
      operation_type: 'Create',
      params: { line_item_id: lineItemId, ...criterion },
    }));
    await journal.run({
      name: `targeting.${from / batchSize}`,
      request: { ...client.show(path, {}), body: json },
      send: async () => (await client.write(access, path, { schema: CreatedCriteria, json })).data[0]?.id ?? '',
      find: () => find.criterion(lineItemId, batch),
    });
  }
}

async function promote(
  { client, access, journal, account, find }: CreateContext,
  lineItemId: string,
  tweetId: string,
): Promise<string> {
  const path = `${account}/promoted_tweets`;
  const params = { line_item_id: lineItemId, tweet_ids: tweetId };
  return journal.run({
    name: 'ad.0',
    request: client.show(path, params),
    send: async () => (await client.write(access, path, { schema: Promoted, params })).data[0]?.id ?? '',
    find: () => find.promoted(lineItemId, tweetId),
  });
}

/** Activation is idempotent, so it is resent after a lost response. */
async function activate({ client, access, journal }: CreateContext, step: string, path: string): Promise<void> {
  const params = { entity_status: 'ACTIVE' };
  const send = async (): Promise<string> =>
    (await client.write(access, path, { schema: Made, method: 'PUT', params })).data.id;
  await journal.run({ name: step, request: client.show(path, params, 'PUT'), send, find: send });
}
