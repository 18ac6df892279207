import { flagIn, numberIn, oneOfIn, enumsIn, requireName, requireOneOf, idIn, type Body } from './checks.ts';
import { missing, wrong } from './errors.ts';
import { taken } from './fields.ts';
import type { Advertiser, Settings } from './state.ts';

const objectives =
  'REACH TRAFFIC VIDEO_VIEWS ENGAGEMENT LEAD_GENERATION WEB_CONVERSIONS APP_PROMOTION PRODUCT_SALES'.split(' ');
const budgetModes = 'BUDGET_MODE_INFINITE BUDGET_MODE_TOTAL BUDGET_MODE_DAY BUDGET_MODE_DYNAMIC_DAILY_BUDGET'.split(
  ' ',
);
const appTypes = ['APP_INSTALL', 'APP_RETARGETING', 'APP_PREREGISTRATION'];
export const switches = ['ENABLE', 'DISABLE'];
const wholeUnits = 'CLP COP CRC HUF ISK IDR JPY KRW PYG TWD VND'.split(' ');

/** Amounts are in whole units of the account's currency. The minimums are common knowledge, not documented. */
export function checkBudget(body: Body, advertiser: Advertiser, least: number): number {
  const budget = numberIn(body, 'budget');
  if (budget === undefined) throw missing('budget');
  if (budget < least) throw wrong(`budget: The budget can not be lower than ${least} ${advertiser.currency}.`);
  checkPrecision(budget, 'budget', advertiser);
  return budget;
}

export function checkPrecision(amount: number, name: string, { currency }: Advertiser): void {
  const factor = wholeUnits.includes(currency) ? 1 : 100;
  if (Math.abs(Math.round(amount * factor) - amount * factor) > 1e-6) {
    throw wrong(`${name}: Too many decimals for ${currency}.`);
  }
}

export interface CampaignPlace {
  advertiser: Advertiser;
  settings: Pick<Settings, 'dynamicDaily'>;
}

/** Validates a new campaign. */
export function checkCampaign(place: CampaignPlace, body: Body): Body {
  requireName(body, 'campaign_name');
  const objective = requireOneOf(body, 'objective_type', objectives);
  const appType = oneOfIn(body, 'app_promotion_type', appTypes);
  if (objective === 'APP_PROMOTION' && !appType) throw missing('app_promotion_type');
  const campaignType = oneOfIn(body, 'campaign_type', ['REGULAR_CAMPAIGN', 'IOS14_CAMPAIGN']);
  oneOfIn(body, 'operation_status', switches);
  checkIndustries(place.advertiser, body);
  const app = idIn(body, 'app_id');
  if (campaignType === 'IOS14_CAMPAIGN' && objective !== 'APP_PROMOTION') {
    throw wrong(`campaign_type: IOS14_CAMPAIGN is not supported for the objective ${objective}.`);
  }
  if (campaignType === 'IOS14_CAMPAIGN' && !app) throw missing('app_id');
  checkCampaignBudget(place, body);
  return { operation_status: 'ENABLE', ...taken('campaign', body) };
}

const industries = ['HOUSING', 'EMPLOYMENT', 'CREDIT'];

/** Only advertisers of two countries declare industries; the message is unconfirmed. */
function checkIndustries({ country = 'US' }: Advertiser, body: Body): void {
  const declared = enumsIn(body, 'special_industries', industries) ?? [];
  if (declared.length > 0 && country !== 'US' && country !== 'CA')
    throw wrong(`special_industries: Not available for advertisers registered in ${country}.`);
}

/** Objectives whose daily budgets at campaign level are allow-listed. */
const allowListed = ['REACH', 'VIDEO_VIEWS', 'ENGAGEMENT'];

function checkCampaignBudget({ advertiser, settings }: CampaignPlace, body: Body): void {
  const mode = requireOneOf(body, 'budget_mode', budgetModes);
  const isShared = flagIn(body, 'budget_optimize_on') === true;
  if (isShared && !/TOTAL|DYNAMIC/.test(mode)) {
    throw wrong(`budget_mode: ${mode} is not supported when budget_optimize_on is true.`);
  }
  if (mode === 'BUDGET_MODE_DYNAMIC_DAILY_BUDGET' && !isShared) {
    throw wrong('budget_mode: BUDGET_MODE_DYNAMIC_DAILY_BUDGET needs budget_optimize_on.');
  }
  const objective = String(body['objective_type']);
  if (mode === 'BUDGET_MODE_DYNAMIC_DAILY_BUDGET' && !settings.dynamicDaily && allowListed.includes(objective)) {
    throw wrong(`budget_mode: BUDGET_MODE_DYNAMIC_DAILY_BUDGET is not supported for the objective ${objective}.`);
  }
  if (mode !== 'BUDGET_MODE_INFINITE') checkBudget(body, advertiser, 50);
  else if (numberIn(body, 'budget')) throw wrong('budget: Not supported with BUDGET_MODE_INFINITE.');
}

const fixed = ['objective_type', 'app_promotion_type', 'budget_mode', 'budget_optimize_on', 'campaign_type', 'app_id'];

/** Rejects changes of immutable fields. Unconfirmed: which fields those are. */
export function rejectImmutable(before: Body, body: Body, names: readonly string[]): void {
  const odd = names.find(
    (name) => body[name] !== undefined && JSON.stringify(body[name]) !== JSON.stringify(before[name]),
  );
  if (odd) throw wrong(`${odd}: This field can not be modified.`);
}

export function changeCampaign(place: CampaignPlace, before: Body, body: Body): Body {
  rejectImmutable(before, body, fixed);
  const added = enumsIn(body, 'special_industries', industries) ?? [];
  const had = (before['special_industries'] ?? []) as string[];
  if (added.some((industry) => !had.includes(industry))) throw wrong('special_industries: Can not be added later.');
  return checkCampaign(place, { ...before, ...taken('campaign', body) });
}
