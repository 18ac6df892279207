import { stamp } from './checks.ts';
import { nameOf } from './targeting.ts';
import { addressesIn } from './text-weight.ts';
import type { AdAccount, Funding, Params, Thing, SandboxState } from './state.ts';

type Shown = Record<string, unknown>;

const micro = (fields: Params, name: string): number | null =>
  fields[name] === undefined ? null : Number(fields[name]);

const budgetsOf = (fields: Params): Shown => ({
  daily_budget_amount_local_micro: micro(fields, 'daily_budget_amount_local_micro'),
  total_budget_amount_local_micro: micro(fields, 'total_budget_amount_local_micro'),
});

const times = ({ createdAt, updatedAt, isDeleted }: Thing): Shown => ({
  created_at: stamp(createdAt),
  updated_at: stamp(updatedAt),
  deleted: isDeleted,
});

const currencyOf = (sandbox: SandboxState, { accountId }: Thing): string =>
  sandbox.accounts.get(accountId)?.currency ?? '';

const hasLive = (sandbox: SandboxState, kind: Thing['kind'], ownerId: string): boolean =>
  sandbox.below(kind, ownerId).some((id) => !sandbox.things.get(id)?.isDeleted);

function showCampaign(sandbox: SandboxState, thing: Thing): Shown {
  const { id, fields } = thing;
  const isRunning = fields['entity_status'] === 'ACTIVE';
  const isComplete = hasLive(sandbox, 'line_item', id);
  const isServable = isRunning && isComplete && !thing.isDeleted;
  const state = isRunning ? 'RUNNING' : 'PAUSED';
  return {
    id,
    name: fields['name'],
    entity_status: fields['entity_status'],
    // Unconfirmed: its values, except UNKNOWN without children.
    effective_status: isComplete ? state : 'UNKNOWN',
    servable: isServable,
    reasons_not_servable: [
      ...(thing.isDeleted ? ['DELETED'] : []),
      ...(isRunning ? [] : ['PAUSED_BY_ADVERTISER']),
      ...(isComplete ? [] : ['INCOMPLETE']),
    ],
    funding_instrument_id: fields['funding_instrument_id'],
    budget_optimization: fields['budget_optimization'],
    purchase_order_number: fields['purchase_order_number'] ?? null,
    currency: currencyOf(sandbox, thing),
    ...budgetsOf(fields),
    ...times(thing),
  };
}

const payBy: Record<string, string> = {
  ENGAGEMENTS: 'ENGAGEMENT',
  WEBSITE_CLICKS: 'IMPRESSION',
  APP_INSTALLS: 'APP_CLICK',
  FOLLOWERS: 'FOLLOW',
};

function showLineItem(sandbox: SandboxState, thing: Thing): Shown {
  const { id, parentId, fields } = thing;
  return {
    id,
    campaign_id: parentId,
    name: fields['name'],
    objective: fields['objective'],
    goal: fields['goal'],
    bid_strategy: fields['bid_strategy'],
    bid_amount_local_micro: micro(fields, 'bid_amount_local_micro'),
    pay_by: fields['pay_by'] ?? payBy[fields['objective'] ?? ''] ?? 'IMPRESSION',
    placements: (fields['placements'] ?? '').split(','),
    product_type: fields['product_type'],
    start_time: fields['start_time'],
    end_time: fields['end_time'],
    entity_status: fields['entity_status'],
    primary_web_event_tag: fields['primary_web_event_tag'] ?? null,
    ios_app_store_identifier: fields['ios_app_store_identifier'] ?? null,
    android_app_store_identifier: fields['android_app_store_identifier'] ?? null,
    advertiser_domain: fields['advertiser_domain'] ?? null,
    currency: currencyOf(sandbox, thing),
    creative_source: 'MANUAL',
    ...budgetsOf(fields),
    ...times(thing),
  };
}

const reviews: Record<string, string> = { pending: 'UNDER_REVIEW', rejected: 'REJECTED' };

/** A name such as `Sale [review:rejected]` of the line item or the tweet determines the review of the ad. */
export function reviewOf(sandbox: SandboxState, { parentId, fields }: Thing): string {
  const tweet = sandbox.things.get(fields['tweet_id'] ?? '')?.fields;
  const said = `${sandbox.things.get(parentId)?.fields['name']} ${tweet?.['name']} ${tweet?.['text']}`;
  return reviews[/\[review:(pending|rejected)\]/.exec(said)?.[1] ?? ''] ?? 'ACCEPTED';
}

function showPromoted(sandbox: SandboxState, thing: Thing): Shown {
  return {
    id: thing.id,
    line_item_id: thing.parentId,
    tweet_id: thing.fields['tweet_id'],
    approval_status: reviewOf(sandbox, thing),
    entity_status: thing.fields['entity_status'],
    ...times(thing),
  };
}

function showCriterion(_sandbox: SandboxState, thing: Thing): Shown {
  return {
    id: thing.id,
    line_item_id: thing.parentId,
    name: nameOf(thing.fields),
    ...thing.fields,
    ...times(thing),
  };
}

/** `id` exceeds the precision of JSON numbers; `id_str` is exact. */
function showTweet(sandbox: SandboxState, { id, parentId, fields, createdAt }: Thing): Shown {
  const [, day, date, month, clock] = /^(\w+), (\d+) (\w+) \d+ ([\d:]+)/.exec(new Date(createdAt).toUTCString()) ?? [];
  const { text = '', name = null, nullcast } = fields;
  const urls = addressesIn(text).map((url) => ({
    url,
    expanded_url: url,
    display_url: url.replace(/^https?:\/\//, ''),
  }));
  const person = sandbox.people.get(parentId);
  return {
    id: Number(id),
    id_str: id,
    tweet_id: id,
    created_at: `${day} ${month} ${date} ${clock} +0000 ${createdAt.slice(0, 4)}`,
    name,
    text,
    full_text: text,
    nullcast: nullcast === 'true',
    truncated: false,
    entities: { hashtags: [], symbols: [], user_mentions: [], urls },
    user: { id: Number(parentId), id_str: parentId, ...(person && { screen_name: person.username }) },
  };
}

const shows: Record<Thing['kind'], (sandbox: SandboxState, thing: Thing) => Shown> = {
  campaign: showCampaign,
  line_item: showLineItem,
  promoted_tweet: showPromoted,
  targeting_criterion: showCriterion,
  tweet: showTweet,
};

export const show = (sandbox: SandboxState, thing: Thing): Shown => shows[thing.kind](sandbox, thing);

export const showAccount = ({ id, name, timezone, createdAt, approvalStatus = 'ACCEPTED' }: AdAccount): Shown => ({
  id,
  name,
  business_name: null,
  business_id: null,
  timezone,
  timezone_switch_at: stamp(createdAt),
  country_code: 'US',
  industry_type: 'RETAIL',
  approval_status: approvalStatus,
  created_at: stamp(createdAt),
  updated_at: stamp(createdAt),
  deleted: false,
});

export const showFunding = ({ id, currency, isAble, createdAt }: Funding): Shown => ({
  id,
  type: 'CREDIT_CARD',
  description: isAble ? 'Visa ending in 4242' : 'Visa ending in 0002 (expired)',
  currency,
  able_to_fund: isAble,
  reasons_not_able_to_fund: isAble ? [] : ['EXPIRED'],
  entity_status: 'ACTIVE',
  credit_limit_local_micro: null,
  credit_remaining_local_micro: null,
  funded_amount_local_micro: null,
  start_time: stamp(createdAt),
  end_time: null,
  created_at: stamp(createdAt),
  updated_at: stamp(createdAt),
  deleted: false,
});

export const showPromotable = ({ createdAt }: AdAccount, user: AdAccount['promotable'][number]): Shown => ({
  id: user.id,
  user_id: user.userId,
  promotable_user_type: user.type,
  created_at: stamp(createdAt),
  updated_at: stamp(createdAt),
  deleted: false,
});
