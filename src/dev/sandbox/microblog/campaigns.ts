import { checkLength, money, oneOf, optionalOneOf, pick, required, stamp, time } from './checks.ts';
import { forbidden, invalid, missing, notFound, refused } from './errors.ts';
import type { AdAccount, Params, Thing, SandboxState } from './state.ts';

const statuses = ['ACTIVE', 'PAUSED', 'DRAFT'];
const budgets = ['daily_budget_amount_local_micro', 'total_budget_amount_local_micro'];
const editableOfCampaign = ['name', 'entity_status', 'budget_optimization', 'purchase_order_number', ...budgets];
const knownOfCampaign = [...editableOfCampaign, 'funding_instrument_id', 'standard_delivery'];

function checkBudgets(values: Params, currency: string): void {
  const [daily, total] = budgets.map((name) => money(values, name, currency));
  if (daily !== undefined && total !== undefined && daily > total)
    throw invalid('daily_budget_amount_local_micro', 'The daily budget exceeds the total budget');
}

function checkFunding(sandbox: SandboxState, account: AdAccount, id: string): void {
  const funding = account.funding.find((own) => own.id === id);
  if (!funding && sandbox.accounts.all().some((other) => other.funding.some((own) => own.id === id)))
    throw forbidden('FUNDING_INSTRUMENT_ACCESS_NOT_ALLOWED', `The funding instrument ${id} is of another account`);
  if (!funding) throw notFound('FUNDING_INSTRUMENT', id, 'funding_instrument_id');
  if (!funding.isAble)
    throw refused('INVALID_FUNDING_INSTRUMENT', `${id} is not able to fund`, 'funding_instrument_id');
}

function checkCampaign(values: Params, currency: string): void {
  required(values, 'name');
  checkLength(values, 'name', 255);
  optionalOneOf(values, 'entity_status', statuses);
  optionalOneOf(values, 'budget_optimization', ['LINE_ITEM']);
  checkBudgets(values, currency);
}

function checkActive(sandbox: SandboxState, thing: Pick<Thing, 'kind' | 'accountId' | 'fields'>): void {
  if (thing.fields['entity_status'] !== 'ACTIVE') return;
  const isCampaign = thing.kind === 'campaign';
  const { activeCampaigns, activeLineItems } = sandbox.settings;
  const most = isCampaign ? activeCampaigns : activeLineItems;
  if (sandbox.activeCount(thing.kind, thing.accountId) >= most)
    throw refused(isCampaign ? 'TOO_MANY_CAMPAIGNS' : 'TOO_MANY_LINE_ITEMS', `At most ${most} may be active`);
}

export function makeCampaign(sandbox: SandboxState, account: AdAccount, params: Params): Thing {
  const fields = { entity_status: 'ACTIVE', budget_optimization: 'LINE_ITEM', ...pick(params, knownOfCampaign) };
  checkFunding(sandbox, account, required(params, 'funding_instrument_id'));
  checkCampaign(fields, account.currency);
  const campaign = {
    kind: 'campaign',
    accountId: account.id,
    parentId: params['funding_instrument_id'] ?? '',
    fields,
  } as const;
  checkActive(sandbox, campaign);
  return sandbox.add(campaign);
}

export function changeCampaign(sandbox: SandboxState, campaign: Thing, { account, params }: Change): Thing {
  const fields = { ...campaign.fields, ...pick(params, editableOfCampaign) };
  checkCampaign(fields, account.currency);
  return put(sandbox, campaign, fields);
}

export interface Change {
  account: AdAccount;
  params: Params;
}

function put(sandbox: SandboxState, thing: Thing, fields: Params): Thing {
  const wasActive = thing.fields['entity_status'] === 'ACTIVE';
  if (!wasActive) checkActive(sandbox, { ...thing, fields });
  return sandbox.change(thing, { fields });
}

const placements = [
  'ALL_ON_TWITTER',
  'PUBLISHER_NETWORK',
  'SPOTLIGHT',
  'TAP_BANNER',
  'TAP_FULL',
  'TAP_FULL_LANDSCAPE',
  'TAP_MRECT',
  'TAP_NATIVE',
  'TREND',
  'TWITTER_MEDIA_VIEWER',
  'TWITTER_PROFILE',
  'TWITTER_REPLIES',
  'TWITTER_SEARCH',
  'TWITTER_TIMELINE',
];
/** Permitted goals per objective; the first is the default. */
const goals: Record<string, string[]> = {
  WEBSITE_CLICKS: ['LINK_CLICKS', 'SITE_VISITS', 'WEBSITE_CONVERSIONS'],
  ENGAGEMENTS: ['ENGAGEMENT'],
  REACH: ['MAX_REACH', 'REACH_WITH_ENGAGEMENT'],
  VIDEO_VIEWS: ['VIDEO_VIEW', 'VIEW_3S_100PCT', 'VIEW_6S', 'VIEW_15S'],
  PREROLL_VIEWS: ['PREROLL', 'PREROLL_STARTS'],
  FOLLOWERS: ['FOLLOWERS'],
  APP_INSTALLS: ['APP_INSTALLS', 'APP_CLICKS', 'APP_PURCHASES'],
  APP_ENGAGEMENTS: ['APP_CLICKS', 'APP_PURCHASES'],
};
const editableOfLineItem = [
  'name',
  'entity_status',
  'bid_strategy',
  'bid_amount_local_micro',
  'goal',
  'pay_by',
  'start_time',
  'end_time',
  'primary_web_event_tag',
  'advertiser_domain',
  'categories',
  'standard_delivery',
  ...budgets,
];
const knownOfLineItem = [
  ...editableOfLineItem,
  'campaign_id',
  'objective',
  'product_type',
  'placements',
  'ios_app_store_identifier',
  'android_app_store_identifier',
];

export function makeLineItem(
  sandbox: SandboxState,
  account: AdAccount,
  params: Params,
  { isOlder = false } = {},
): Thing {
  const campaignId = required(params, 'campaign_id');
  const campaign = sandbox.things.get(campaignId);
  if (campaign?.kind !== 'campaign' || campaign.accountId !== account.id || campaign.isDeleted)
    throw notFound('CAMPAIGN', campaignId, 'campaign_id');
  const objective = oneOf(params, 'objective', Object.keys(goals));
  const unasked = {
    entity_status: 'ACTIVE',
    bid_strategy: defaultStrategy(params),
    goal: goals[objective]?.[0] ?? '',
  };
  const fields: Params = { ...unasked, name: campaign.fields['name'] ?? '', ...pick(params, knownOfLineItem) };
  oneOf(params, 'product_type', ['MEDIA', 'PROMOTED_ACCOUNT', 'PROMOTED_TWEETS']);
  checkPlacements(fields);
  checkLineItem(fields, account);
  if (!isOlder) checkStart(fields);
  checkEnd(fields);
  checkSpend(fields, campaign.fields);
  if (liveBelow(sandbox, campaignId) >= 100)
    throw refused('TOO_MANY_LINE_ITEMS', 'A campaign has at most 100 line items');
  const item = { kind: 'line_item', accountId: account.id, parentId: campaignId, fields } as const;
  checkActive(sandbox, item);
  return sandbox.add(item);
}

/** The documentation says only that the default depends on the objective: a bid given without strategy caps it. */
const defaultStrategy = ({ objective = '', bid_amount_local_micro: bid }: Params): string =>
  bid === undefined ? 'AUTO' : /^(REACH|FOLLOWERS)$/.test(objective) ? 'TARGET' : 'MAX';

const liveBelow = (sandbox: SandboxState, campaignId: string): number =>
  sandbox.below('line_item', campaignId).filter((id) => !sandbox.things.get(id)?.isDeleted).length;

export function changeLineItem(sandbox: SandboxState, item: Thing, { account, params }: Change): Thing {
  const fields = { ...item.fields, ...pick(params, editableOfLineItem) };
  checkLineItem(fields, account);
  if (fields['start_time'] !== item.fields['start_time']) checkStart(fields);
  if (params['end_time'] !== undefined) checkEnd(fields);
  checkSpend(fields, sandbox.things.get(item.parentId)?.fields ?? {});
  return put(sandbox, item, fields);
}

function checkPlacements(fields: Params): void {
  const given = required(fields, 'placements').split(',');
  for (const placement of given) oneOf({ placements: placement }, 'placements', placements);
  if (given.every((placement) => placement === 'TWITTER_PROFILE'))
    throw invalid('placements', 'TWITTER_PROFILE cannot be the only placement', given.join(','));
  const isOnTimeline = given.includes('ALL_ON_TWITTER') || given.includes('TWITTER_TIMELINE');
  if (fields['objective'] === 'REACH' && !isOnTimeline)
    throw invalid('placements', 'REACH needs the timeline among its placements', given.join(','));
}

function checkLineItem(fields: Params, account: AdAccount): void {
  checkLength(fields, 'name', 255);
  optionalOneOf(fields, 'entity_status', statuses);
  const objective = fields['objective'] ?? '';
  oneOf(fields, 'goal', goals[objective] ?? []);
  checkBudgets(fields, account.currency);
  checkBid(fields, account.currency);
  const [start, end] = [time(fields, 'start_time'), time(fields, 'end_time')];
  if (end <= start) throw refused('INVALID_TIME_WINDOW', 'end_time must be after start_time', 'end_time');
  if (fields['goal'] === 'WEBSITE_CONVERSIONS') {
    const tag = required(fields, 'primary_web_event_tag');
    if (tag !== account.webEventTagId) throw notFound('WEB_EVENT_TAG', tag, 'primary_web_event_tag');
  }
  const hasApp = fields['ios_app_store_identifier'] ?? fields['android_app_store_identifier'];
  if (objective.startsWith('APP_') && !hasApp) throw missing('ios_app_store_identifier');
  fields['start_time'] = stamp(start);
  fields['end_time'] = stamp(end);
}

function checkBid(fields: Params, currency: string): void {
  const strategy = oneOf(fields, 'bid_strategy', ['AUTO', 'MAX', 'TARGET']);
  const amount = money(fields, 'bid_amount_local_micro', currency);
  const objective = fields['objective'] ?? '';
  if (strategy === 'MAX' && /^(REACH|FOLLOWERS)$/.test(objective))
    throw invalid('bid_strategy', `MAX is not available for ${objective}`, strategy);
  if (strategy === 'TARGET' && !/^(REACH|FOLLOWERS|WEBSITE_CLICKS)$/.test(objective))
    throw invalid('bid_strategy', `TARGET is not available for ${objective}`, strategy);
  if (strategy !== 'AUTO' && amount === undefined) throw missing('bid_amount_local_micro');
  // The platform ignores it.
  if (strategy === 'AUTO') delete fields['bid_amount_local_micro'];
}

/** Unconfirmed: the code of a start in the past. */
function checkStart(fields: Params): void {
  if (time(fields, 'start_time') < Date.now())
    throw refused('INVALID_TIME_WINDOW', 'start_time must be in the future', 'start_time');
}

function checkEnd(fields: Params): void {
  if (time(fields, 'end_time') <= Date.now())
    throw refused('INVALID_TIME_WINDOW', 'end_time must be in the future', 'end_time');
}

function checkSpend(fields: Params, campaign: Params): void {
  const name = 'total_budget_amount_local_micro';
  const [own, above] = [fields[name], campaign[name]];
  if (own !== undefined && above !== undefined && Number(own) > Number(above))
    throw refused('SPEND_EXCEEDS_BUDGET', 'The line item may spend more than its campaign', name);
}

/** Deletes one object and none below it. It remains visible with `with_deleted`. */
export const remove = (sandbox: SandboxState, thing: Thing): Thing => sandbox.change(thing, { isDeleted: true });

/** Ads of a deleted line item are not deleted, but only shown with `with_deleted`. */
export const isHidden = (sandbox: SandboxState, { kind, parentId, isDeleted }: Thing): boolean =>
  isDeleted || (kind === 'promoted_tweet' && sandbox.things.get(parentId)?.isDeleted === true);

/** An object of this account that is not deleted. */
export function live(sandbox: SandboxState, account: AdAccount, { kind, id }: Pick<Thing, 'kind' | 'id'>): Thing {
  const thing = sandbox.things.get(id);
  if (thing?.kind !== kind || thing.accountId !== account.id || isHidden(sandbox, thing))
    throw notFound(kind.toUpperCase(), id);
  return thing;
}
