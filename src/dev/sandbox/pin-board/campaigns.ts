import { required, rules, type Schema } from './checks.ts';
import { ElementError } from './errors.ts';
import { seconds, type AdAccount, type Entity, type Fields } from './state.ts';

export const statuses = ['ACTIVE', 'PAUSED', 'ARCHIVED', 'DRAFT', 'DELETED_DRAFT'];

const objectives = [
  'AWARENESS',
  'CONSIDERATION',
  'VIDEO_COMPLETION',
  'SALES',
  'LEADS',
  'WEB_CONVERSION',
  'CATALOG_SALES',
];

export const campaignSchema: Schema = {
  ad_account_id: required(rules.id()),
  name: required(rules.text(255)),
  objective_type: required(rules.oneOf(...objectives)),
  intended_promotion_type: rules.oneOf('STANDARD_AD', 'CATALOG', 'LEGACY'),
  status: rules.oneOf(...statuses),
  daily_spend_cap: rules.whole(),
  lifetime_spend_cap: rules.whole(),
  default_ad_group_budget_in_micro_currency: rules.whole(),
  is_campaign_budget_optimization: rules.flag(),
  is_flexible_daily_budgets: rules.flag(),
  is_automated_campaign: rules.flag(),
  is_performance_plus: rules.flag(),
  bid_options: rules.object(),
  order_line_id: rules.id(),
  tracking_urls: rules.object(),
  start_time: rules.whole(),
  end_time: rules.whole(),
};

export const campaignDefaults: Fields = {
  status: 'ACTIVE',
  daily_spend_cap: null,
  lifetime_spend_cap: null,
  is_campaign_budget_optimization: false,
  is_flexible_daily_budgets: false,
  is_automated_campaign: false,
  is_performance_plus: false,
  order_line_id: null,
  tracking_urls: null,
  end_time: null,
};

/** Fields that only a draft can change. */
const fixed = ['objective_type', 'is_campaign_budget_optimization'];

/** The code of a budget that is missing at the level that must carry it. */
export const missingBudget = 2384;

interface Compared {
  old?: Entity;
  /** Created before the platform required campaign budget optimization. */
  isOlder?: boolean;
}

/** Validates a new or updated campaign. */
export function checkCampaign(account: AdAccount, fields: Fields, { old, isOlder = false }: Compared = {}): string[] {
  if (fields['ad_account_id'] !== account.id) throw new ElementError('Advertiser not found.', 2);
  requireName(fields);
  const { daily_spend_cap: daily, lifetime_spend_cap: lifetime } = fields;
  if (isSet(daily) && isSet(lifetime))
    throw new ElementError('daily_spend_cap and lifetime_spend_cap cannot be set at the same time');
  for (const name of ['daily_spend_cap', 'lifetime_spend_cap']) requirePositive(fields, name);
  const isOptimized = fields['is_campaign_budget_optimization'] === true;
  if (!old && !isOlder && !isOptimized)
    throw new ElementError(
      'Campaign budget optimization is required: is_campaign_budget_optimization must be true',
      missingBudget,
    );
  if (isOptimized && !isSet(daily) && !isSet(lifetime))
    throw new ElementError(
      'Campaign budget optimization requires daily_spend_cap or lifetime_spend_cap',
      missingBudget,
    );
  if (isOptimized && isSet(lifetime) && !isSet(fields['end_time']))
    throw new ElementError('end_time is required when lifetime_spend_cap is set');
  const changed = fixed.find((name) => old && old.fields['status'] !== 'DRAFT' && fields[name] !== old.fields[name]);
  if (changed) throw new ElementError(`${changed} of a campaign that is no draft cannot be changed`);
  checkWindow(fields, old);
  return [];
}

export const isSet = (value: unknown): boolean => value !== undefined && value !== null;

export function requireName(fields: Fields): void {
  if (String(fields['name']).trim() === '') throw new ElementError('name must not be empty');
}

export function requirePositive(fields: Fields, name: string): void {
  if (isSet(fields[name]) && Number(fields[name]) <= 0) throw new ElementError(`${name} must be greater than 0`);
}

/** Times are validated when they are set; they may be in the past later. */
export function checkWindow(fields: Fields, old?: Entity): void {
  const { start_time: start, end_time: end } = fields;
  const isNewEnd = isSet(end) && end !== old?.fields['end_time'];
  const isNewStart = isSet(start) && start !== old?.fields['start_time'];
  if (isNewStart && Number(start) < seconds()) throw new ElementError('start_time must be in the future');
  if (isNewEnd && Number(end) <= seconds()) throw new ElementError('end_time must be in the future');
  if (isSet(start) && isSet(end) && Number(end) <= Number(start))
    throw new ElementError('end_time must be after start_time');
}
