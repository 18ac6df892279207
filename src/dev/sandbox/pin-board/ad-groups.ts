import { checkWindow, isSet, missingBudget, requireName, requirePositive, statuses } from './campaigns.ts';
import { isObject, required, rules, type Schema } from './checks.ts';
import { ElementError } from './errors.ts';
import { ageBuckets, genders, interests, isPostalCode, locations, regions, targetingOptions } from './places.ts';
import type { AdAccount, Entity, Fields, SandboxState } from './state.ts';

export const adGroupSchema: Schema = {
  campaign_id: required(rules.id(/^C?\d+$/)),
  name: required(rules.text(255)),
  billable_event: required(rules.oneOf('CLICKTHROUGH', 'IMPRESSION', 'VIDEO_V_50_MRC')),
  status: rules.oneOf(...statuses),
  budget_in_micro_currency: rules.whole(),
  budget_type: rules.oneOf('DAILY', 'LIFETIME', 'CBO_ADGROUP'),
  bid_in_micro_currency: rules.whole(),
  bid_strategy_type: rules.oneOf('AUTOMATIC_BID', 'MAX_BID', 'TARGET_AVG'),
  bid_multiplier: rules.number(),
  pacing_delivery_type: rules.oneOf('STANDARD', 'ACCELERATED'),
  placement_group: rules.oneOf('ALL', 'SEARCH', 'BROWSE', 'OTHER'),
  auto_targeting_enabled: rules.flag(),
  is_creative_optimization: rules.flag(),
  lifetime_frequency_cap: rules.whole(),
  optimization_goal_metadata: rules.object(),
  promotion_application_level: rules.oneOf('NONE', 'ITEM', 'AD_GROUP'),
  promotion_id: rules.id(),
  targeting_spec: rules.object(),
  targeting_template_ids: rules.list(),
  tracking_urls: rules.object(),
  start_time: rules.whole(),
  end_time: rules.whole(),
};

export const adGroupDefaults: Fields = {
  status: 'ACTIVE',
  budget_type: 'DAILY',
  budget_in_micro_currency: null,
  bid_in_micro_currency: null,
  bid_strategy_type: null,
  pacing_delivery_type: 'STANDARD',
  placement_group: 'ALL',
  auto_targeting_enabled: true,
  optimization_goal_metadata: null,
  tracking_urls: null,
  end_time: null,
};

const isOption = (type: 'APPTYPE' | 'LOCALE', key: unknown): boolean =>
  Object.hasOwn(targetingOptions[type] ?? {}, String(key));

const targetingSchema: Schema = {
  LOCATION: rules.list(),
  GEO: rules.list(),
  INTEREST: rules.list(),
  AUDIENCE_INCLUDE: rules.list((id) => typeof id === 'string' && /^\d+$/.test(id)),
  AUDIENCE_EXCLUDE: rules.list((id) => typeof id === 'string' && /^\d+$/.test(id)),
  GENDER: rules.list((word) => genders.includes(String(word))),
  AGE_BUCKET: rules.list((word) => ageBuckets.includes(String(word))),
  APPTYPE: rules.list((key) => isOption('APPTYPE', key)),
  LOCALE: rules.list((key) => isOption('LOCALE', key)),
  SHOPPING_RETARGETING: rules.list(isObject),
  TARGETING_STRATEGY: rules.list(),
  MINIMUM_AGE: rules.id(/^\d+$/),
  MAXIMUM_AGE: rules.id(/^\d+\+?$/),
};

/** Billing events per objective, from the documentation where the platform defines nothing further. */
const billedBy: Record<string, string[]> = {
  AWARENESS: ['IMPRESSION'],
  CONSIDERATION: ['CLICKTHROUGH'],
  VIDEO_COMPLETION: ['VIDEO_V_50_MRC'],
  SALES: ['IMPRESSION'],
  LEADS: ['IMPRESSION'],
  WEB_CONVERSION: ['IMPRESSION'],
  CATALOG_SALES: ['CLICKTHROUGH', 'IMPRESSION'],
};

/** Objectives that require a tag, and their permitted events. */
const requiredEvents: Record<string, string[]> = {
  SALES: ['CHECKOUT', 'ADD_TO_CART'],
  LEADS: ['SIGNUP', 'LEAD'],
  WEB_CONVERSION:
    'CHECKOUT ADD_TO_CART SIGNUP LEAD PAGE_VISIT CUSTOM SEARCH VIEW_CATEGORY WATCH_VIDEO APP_INSTALL'.split(' '),
};

/** Validates a new or updated ad group; returns its parent ids. */
export function checkAdGroup(
  { sandbox, account }: { sandbox: SandboxState; account: AdAccount },
  fields: Fields,
  old?: Entity,
): string[] {
  const campaignId = String(fields['campaign_id']).replace(/^C/, '');
  const campaign = sandbox.entities.campaigns.get(campaignId);
  if (campaign?.accountId !== account.id) throw new ElementError('Campaign not found.');
  if (old && !old.parentIds.includes(campaignId)) throw new ElementError('campaign_id cannot be changed');
  if (!old && campaign.fields['status'] === 'ARCHIVED') throw new ElementError('The campaign is archived');
  if (!old && isFull(sandbox, campaign)) throw new ElementError(`A campaign may have at most ${maxAdGroups} ad groups`);
  requireName(fields);
  checkBudget(campaign, fields, old);
  checkBid(String(campaign.fields['objective_type']), fields);
  checkWindow(fields, old);
  checkWithin(campaign, fields);
  checkGoal(account, String(campaign.fields['objective_type']), fields);
  checkTargeting(account, fields['targeting_spec']);
  return [campaignId];
}

/** The limit under campaign budget optimization. */
const maxAdGroups = 70;
const isFull = ({ entities }: SandboxState, { id, fields }: Entity): boolean =>
  fields['is_campaign_budget_optimization'] === true && entities.ad_groups.under(id).length >= maxAdGroups;

function checkBudget(campaign: Entity, fields: Fields, old?: Entity): void {
  const { budget_type: type, budget_in_micro_currency: budget, end_time: end } = fields;
  const isShared = campaign.fields['is_campaign_budget_optimization'] === true;
  if (isShared !== (type === 'CBO_ADGROUP'))
    throw new ElementError(
      'budget_type CBO_ADGROUP goes with campaigns of campaign budget optimization, and only there',
    );
  if (old && old.fields['status'] !== 'DRAFT' && type !== old.fields['budget_type'])
    throw new ElementError('budget_type of an ad group that is no draft cannot be changed');
  if (isShared && isSet(budget)) throw new ElementError('The budget is set on the campaign');
  if (isShared && (isSet(fields['start_time']) || isSet(end)))
    throw new ElementError('start_time and end_time are set on the campaign under campaign budget optimization');
  if (!isShared && !isSet(budget)) throw new ElementError('budget_in_micro_currency is required', missingBudget);
  requirePositive(fields, 'budget_in_micro_currency');
  if (type === 'LIFETIME' && !isSet(end)) throw new ElementError('end_time is required when budget_type is LIFETIME');
  if (isShared && fields['pacing_delivery_type'] !== 'STANDARD')
    throw new ElementError('Only STANDARD pacing goes with campaign budget optimization');
}

function checkBid(objective: string, fields: Fields): void {
  const { billable_event: event, bid_in_micro_currency: bid, bid_strategy_type: strategy } = fields;
  if (!billedBy[objective]?.includes(String(event)))
    throw new ElementError(`billable_event ${String(event)} is not available for objective_type ${objective}`);
  if (isSet(bid) && Number(bid) < 0) throw new ElementError('Bid in micro currency should be non-negative', 6);
  const isBidBound = /^(AWARENESS IMPRESSION|(CONSIDERATION|CATALOG_SALES) CLICKTHROUGH)$/.test(
    `${objective} ${String(event)}`,
  );
  const isOwn = strategy === 'MAX_BID' || strategy === 'TARGET_AVG';
  if (!isSet(bid) && (isOwn || (isBidBound && strategy !== 'AUTOMATIC_BID')))
    throw new ElementError('bid_in_micro_currency is required');
}

function checkWithin({ fields: above }: Entity, fields: Fields): void {
  const { start_time: start, end_time: end } = fields;
  if (isSet(start) && isSet(above['start_time']) && Number(start) < Number(above['start_time']))
    throw new ElementError('start_time cannot precede the start_time of the campaign');
  if (isSet(end) && isSet(above['end_time']) && Number(end) > Number(above['end_time']))
    throw new ElementError('end_time cannot occur after the end_time of the campaign');
}

function checkGoal(account: AdAccount, objective: string, fields: Fields): void {
  const events = requiredEvents[objective];
  const goal = (fields['optimization_goal_metadata'] as Fields | null)?.['conversion_tag_v3_goal_metadata'];
  if (!events) return;
  if (!isObject(goal)) throw new ElementError(`optimization_goal_metadata is required for objective_type ${objective}`);
  if (goal['conversion_tag_id'] !== account.tagId) throw new ElementError('Conversion tag not found.');
  if (!events.includes(String(goal['conversion_event'])))
    throw new ElementError(`conversion_event must be one of ${events.join(', ')} for objective_type ${objective}`);
}

function checkTargeting(account: AdAccount, given: unknown): void {
  const spec = isObject(given) ? given : {};
  const odd = Object.entries(targetingSchema).find(([name, rule]) => isSet(spec[name]) && !rule.is(spec[name]));
  if (odd) throw new ElementError(`targeting_spec.${odd[0]} must ${odd[1].must}`);
  const unknown = Object.keys(spec).find((name) => !targetingSchema[name]);
  if (unknown) throw new ElementError(`Unknown targeting type ${unknown}`);
  const list = (name: string): string[] => (spec[name] ?? []) as string[];
  const [places, areas] = [list('LOCATION'), list('GEO')];
  if (places.length + areas.length === 0)
    throw new ElementError('At least one of LOCATION or GEO must be specified in targeting_spec');
  const place = places.find((code) => !locations[code]) ?? areas.find((code) => !regions[code] && !isPostalCode(code));
  if (place) throw new ElementError(`Location ${place} is not available for targeting`);
  if (areas.some(isPostalCode) && !areas.every(isPostalCode))
    throw new ElementError('GEO supports either region codes or postal codes');
  const interest = list('INTEREST').find((id) => !interests[id]);
  if (interest) throw new ElementError(`Interest ${interest} not found.`);
  checkAges(spec);
  const both = list('AUDIENCE_EXCLUDE').find((id) => list('AUDIENCE_INCLUDE').includes(id));
  if (both) throw new ElementError(`Audience ${both} is in AUDIENCE_INCLUDE and AUDIENCE_EXCLUDE`);
  for (const id of [...list('AUDIENCE_INCLUDE'), ...list('AUDIENCE_EXCLUDE')]) {
    const audience = account.audiences.find((known) => known.id === id);
    if (!audience) throw new ElementError(`Audience ${id} not found.`);
    if (audience.size < 100) throw new ElementError(`Audience ${id} needs at least 100 people`);
  }
}

function checkAges({ MINIMUM_AGE: least, MAXIMUM_AGE: most, AGE_BUCKET: buckets }: Fields): void {
  if (isSet(least) !== isSet(most)) throw new ElementError('MINIMUM_AGE and MAXIMUM_AGE must be used together');
  if (!isSet(least)) return;
  if (isSet(buckets)) throw new ElementError('AGE_BUCKET cannot be combined with MINIMUM_AGE and MAXIMUM_AGE');
  const [from, to] = [Number(least), most === '65+' ? 66 : Number(most)];
  const isRange = from >= 18 && from <= 65 && to >= from && (to <= 65 || most === '65+');
  if (!isRange) throw new ElementError('MINIMUM_AGE goes from 18 to 65, MAXIMUM_AGE from there to 65+');
}
