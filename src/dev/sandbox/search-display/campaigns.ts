import { dayMinimumOf, localTime, unitOf, type Resource } from './state.ts';
import { schemes } from './resources.ts';
import { isObject, snake, valueAt, type Fields } from './shapes.ts';
import {
  broken,
  checkStatus,
  inBytes,
  isChanged,
  limitText,
  referred,
  requireFree,
  requireText,
  type Draft,
} from './resolve-temp-names.ts';

export function checkBudget(draft: Draft): void {
  const { fields } = draft;
  fields['explicitlyShared'] ??= true;
  fields['period'] ??= 'DAILY';
  fields['deliveryMethod'] ??= 'STANDARD';
  fields['status'] = 'ENABLED';
  const isDaily = fields['period'] === 'DAILY';
  if (fields['deliveryMethod'] === 'ACCELERATED') {
    throw broken(draft, 'campaignBudgetError.CANNOT_USE_ACCELERATED_DELIVERY_MODE', { field: 'delivery_method' });
  }
  if (isDaily && fields['totalAmountMicros'] !== undefined) {
    const code = 'campaignBudgetError.TOTAL_BUDGET_AMOUNT_MUST_BE_UNSET_FOR_BUDGET_PERIOD_DAILY';
    throw broken(draft, code, { field: 'total_amount_micros' });
  }
  if (!isDaily && fields['amountMicros'] !== undefined) {
    const code = 'campaignBudgetError.BUDGET_AMOUNT_MUST_BE_UNSET_FOR_CUSTOM_BUDGET_PERIOD';
    throw broken(draft, code, { field: 'amount_micros' });
  }
  checkAmount(draft, isDaily ? 'amountMicros' : 'totalAmountMicros');
  if (fields['explicitlyShared'] !== true) {
    limitText(draft, 'name', { value: fields['name'], most: 255, count: inBytes });
    return;
  }
  // Unconfirmed: that a lifetime budget cannot be shared.
  if (!isDaily) {
    throw broken(draft, 'campaignBudgetError.CAMPAIGN_BUDGET_CANNOT_BE_SHARED', { field: 'explicitly_shared' });
  }
  requireText(draft, 'name', { value: fields['name'], most: 255, count: inBytes });
  const key = `budget ${draft.customer.id} ${fields['name']}`;
  requireFree(draft, key, { code: 'campaignBudgetError.DUPLICATE_NAME', trigger: fields['name'] });
}

function checkAmount(draft: Draft, name: string): void {
  const [field, trigger] = [snake(name), draft.fields[name]];
  if (trigger === undefined) throw broken(draft, 'fieldError.REQUIRED', { field });
  const [amount, least] = [BigInt(String(trigger)), dayMinimumOf(draft.customer)];
  const why = { field, trigger };
  if (amount < 0n) throw broken(draft, 'campaignBudgetError.NEGATIVE_MONEY_AMOUNT', why);
  if (amount % unitOf(draft.customer) !== 0n) {
    throw broken(draft, 'campaignBudgetError.NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT', why);
  }
  if (amount < least) throw belowMinimum(draft, field, trigger);
}

function belowMinimum(draft: Draft, field: string, trigger: unknown): Error {
  const least = dayMinimumOf(draft.customer);
  return broken(draft, 'campaignBudgetError.BUDGET_BELOW_PER_DAY_MINIMUM', {
    field,
    trigger,
    details: {
      budgetPerDayMinimumErrorDetails: {
        currencyCode: draft.customer.currency,
        budgetPerDayMinimumMicros: String(least),
        minimumBudgetAmountMicros: String(least),
        failedBudgetAmountMicros: String(trigger),
      },
    },
  });
}

export function checkCampaign(draft: Draft): void {
  const { fields, customer } = draft;
  checkName(draft);
  checkStatus(draft);
  const channel = fields['advertisingChannelType'];
  if (channel === undefined || channel === 'UNSPECIFIED') {
    throw broken(draft, 'fieldError.REQUIRED', { field: 'advertising_channel_type' });
  }
  if (channel !== 'SEARCH' && channel !== 'DISPLAY') {
    const why = { field: 'advertising_channel_type', trigger: channel };
    throw broken(draft, 'operationAccessDeniedError.CREATE_OPERATION_NOT_PERMITTED', why);
  }
  const declared = fields['containsEuPoliticalAdvertising'];
  const isOld = draft.before !== undefined && !isChanged(draft, 'containsEuPoliticalAdvertising');
  if (!isOld && (declared === undefined || declared === 'UNSPECIFIED')) {
    throw broken(draft, 'fieldError.REQUIRED', { field: 'contains_eu_political_advertising' });
  }
  if (!draft.before && customer.lacksHecAgreement) throw broken(draft, 'campaignError.HEC_AGREEMENT_REQUIRED');
  checkBidding(draft);
  checkNetworks(draft);
  fields['startDateTime'] ??= `${localTime(customer).slice(0, 10)} 00:00:00`;
  checkTimes(draft);
  linkBudget(draft);
}

function checkName(draft: Draft): void {
  const { fields, customer, before, sandbox } = draft;
  // The maximum length is unconfirmed.
  requireText(draft, 'name', { value: fields['name'], most: 255 });
  const trigger = String(fields['name']);
  if (/[\0\r\n]/.test(trigger)) throw broken(draft, 'campaignError.INVALID_CAMPAIGN_NAME', { field: 'name', trigger });
  const code = 'campaignError.DUPLICATE_CAMPAIGN_NAME';
  requireFree(draft, `campaign ${customer.id} ${trigger}`, { code, trigger });
  if (!before && sandbox.count(customer.id, 'campaigns') >= customer.campaignLimit) {
    throw broken(draft, 'resourceCountLimitExceededError.ACCOUNT_LIMIT', {
      details: { resourceCountDetails: { enclosingResource: 'Account', limit: customer.campaignLimit } },
    });
  }
}

export const schemeOf = (fields: Fields): string | undefined => Object.keys(schemes).find((name) => name in fields);

function checkBidding(draft: Draft): void {
  const { fields, customer } = draft;
  const scheme = schemeOf(fields);
  const isSearch = fields['advertisingChannelType'] === 'SEARCH';
  if (scheme === undefined) throw broken(draft, 'fieldError.REQUIRED', { field: 'campaign_bidding_strategy' });
  const field = snake(scheme);
  if (scheme === 'manualCpm' && isSearch) {
    throw broken(draft, 'campaignError.CANNOT_TARGET_GOOGLE_SEARCH_FOR_CPM_CAMPAIGN', { field });
  }
  if (/^(maximizeConversions|maximizeConversionValue|targetCpa)$/.test(scheme) && !customer.hasConversionTracking) {
    throw broken(draft, 'campaignError.CONVERSION_TRACKING_NOT_ENABLED', { field });
  }
  if (scheme === 'manualCpc' && valueAt(fields, ['manualCpc', 'enhancedCpcEnabled']) === true) {
    throw broken(draft, 'fieldError.INVALID_VALUE', { field: 'manual_cpc.enhanced_cpc_enabled' });
  }
  for (const [name, amount] of Object.entries(isObject(fields[scheme]) ? fields[scheme] : {})) {
    if (name !== 'locationFractionMicros') checkMoney(draft, `${field}.${snake(name)}`, amount);
  }
  if (scheme === 'targetImpressionShare') checkShare(draft, isSearch);
}

/** A bid: positive, and a multiple of the smallest unit. */
export function checkMoney(draft: Draft, field: string, trigger: unknown): void {
  if (trigger === undefined || !/^-?\d+$/.test(String(trigger))) return;
  const amount = BigInt(String(trigger));
  if (amount <= 0n) throw broken(draft, 'rangeError.TOO_LOW', { field, trigger });
  if (amount % unitOf(draft.customer) !== 0n) {
    throw broken(draft, 'currencyError.VALUE_NOT_MULTIPLE_OF_BILLABLE_UNIT', { field, trigger });
  }
}

function checkShare(draft: Draft, isSearch: boolean): void {
  const place = 'target_impression_share';
  if (!isSearch) {
    throw broken(draft, 'biddingError.CANNOT_CREATE_CAMPAIGN_WITH_BIDDING_STRATEGY', { field: place });
  }
  for (const name of ['location', 'locationFractionMicros', 'cpcBidCeilingMicros']) {
    if (valueAt(draft.fields, ['targetImpressionShare', name]) === undefined) {
      throw broken(draft, 'fieldError.REQUIRED', { field: `${place}.${snake(name)}` });
    }
  }
  const trigger = valueAt(draft.fields, ['targetImpressionShare', 'locationFractionMicros']);
  const field = `${place}.location_fraction_micros`;
  if (Number(trigger) < 1) throw broken(draft, 'rangeError.TOO_LOW', { field, trigger });
  if (Number(trigger) > 1_000_000) throw broken(draft, 'rangeError.TOO_HIGH', { field, trigger });
}

function checkNetworks(draft: Draft): void {
  const { networkSettings: settings, advertisingChannelType: channel } = draft.fields;
  if (!isObject(settings)) return;
  const refuse = (code: string, name = ''): Error =>
    broken(draft, `campaignError.${code}`, { field: `network_settings${name && `.${name}`}` });
  const { targetGoogleSearch: own, targetSearchNetwork: partners, targetContentNetwork: content } = settings;
  if (settings['targetPartnerSearchNetwork'] === true) {
    throw refuse('CANNOT_TARGET_PARTNER_SEARCH_NETWORK', 'target_partner_search_network');
  }
  if (partners === true && own !== true) {
    throw refuse('CANNOT_TARGET_SEARCH_NETWORK_WITHOUT_GOOGLE_SEARCH', 'target_search_network');
  }
  if (channel === 'DISPLAY' && own === true) throw refuse('CANNOT_TARGET_SEARCH_NETWORK', 'target_google_search');
  if (own !== true && content !== true) throw refuse('CAMPAIGN_MUST_TARGET_AT_LEAST_ONE_NETWORK');
}

const asTime = (text: unknown): number =>
  /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(String(text)) ? Date.parse(`${String(text).replace(' ', 'T')}Z`) : NaN;

const dayTimes = { startDateTime: ' 00:00:00', endDateTime: ' 23:59:59' };
const dayTimeCodes = {
  startDateTime: 'DATE_RANGE_ERROR_START_TIME_MUST_BE_THE_START_OF_A_DAY',
  endDateTime: 'DATE_RANGE_ERROR_END_TIME_MUST_BE_THE_END_OF_A_DAY',
};

function checkTimes(draft: Draft): void {
  const { fields, customer } = draft;
  const now = localTime(customer);
  for (const name of ['startDateTime', 'endDateTime'] as const) {
    const [field, trigger] = [snake(name), fields[name]];
    if (trigger === undefined || !isChanged(draft, name)) continue;
    if (Number.isNaN(asTime(trigger))) {
      throw broken(draft, 'dateError.INVALID_STRING_DATE_TIME_SECONDS', { field, trigger });
    }
    // Search and display campaigns run whole days only.
    if (!String(trigger).endsWith(dayTimes[name])) {
      throw broken(draft, `dateError.${dayTimeCodes[name]}`, { field, trigger });
    }
    const length = name === 'startDateTime' ? 10 : 19;
    if (String(trigger).slice(0, length) < now.slice(0, length))
      throw broken(draft, 'campaignError.CANNOT_SET_DATE_TO_PAST', { field, trigger });
  }
  const { startDateTime: start, endDateTime: end } = fields;
  if (end !== undefined && asTime(end) <= asTime(start)) {
    throw broken(draft, 'dateRangeError.START_DATE_AFTER_END_DATE', { field: 'end_date_time', trigger: end });
  }
}

/** Links a budget of the right type that no other campaign uses; an unshared one takes the campaign's name. */
function linkBudget(draft: Draft): void {
  const budget = referred(draft, 'campaignBudget', 'campaignBudgets');
  const { fields, staged } = draft;
  const isOwn = budget.fields['explicitlyShared'] !== true;
  const user = staged.owner(`use of ${budget.name}`);
  const field = 'campaign_budget';
  if (isOwn && user !== undefined && user !== draft.name) {
    const code = 'campaignBudgetError.CANNOT_USE_IMPLICITLY_SHARED_CAMPAIGN_BUDGET_WITH_MULTIPLE_CAMPAIGNS';
    throw broken(draft, code, { field, trigger: budget.name });
  }
  if (budget.fields['period'] === 'CUSTOM_PERIOD') checkTotal(draft, budget);
  if (isOwn) staged.put({ ...budget, fields: { ...budget.fields, name: fields['name'] } });
}

/** How long a campaign with a total budget runs. */
const totalBudgetDays = { least: 3, most: 90 };

/** Only search campaigns of some days take a total budget. The codes for a short run and for the account are unconfirmed. */
function checkTotal(draft: Draft, budget: Resource): void {
  const { fields, customer } = draft;
  const field = 'campaign_budget';
  const channel = String(fields['advertisingChannelType']);
  if (channel !== 'SEARCH') {
    throw broken(draft, 'campaignBudgetError.INVALID_PERIOD', { field, trigger: budget.id });
  }
  if (customer.withoutTotalBudgets.includes(channel)) {
    throw broken(draft, 'campaignError.INCOMPATIBLE_BUDGET_TYPE', { field, trigger: budget.name });
  }
  if (fields['endDateTime'] === undefined) {
    throw broken(draft, 'campaignError.END_DATE_TIME_REQUIRED_FOR_TOTAL_BUDGET', { field: 'end_date_time' });
  }
  const days = Math.ceil((asTime(fields['endDateTime']) - asTime(fields['startDateTime'])) / 86_400_000);
  if (days > totalBudgetDays.most) {
    throw broken(draft, 'campaignError.DURATION_TOO_LONG_FOR_TOTAL_BUDGET', { field: 'end_date_time' });
  }
  if (days < totalBudgetDays.least) {
    throw broken(draft, 'campaignError.NOT_COMPATIBLE_WITH_BUDGET_TYPE', { field: 'end_date_time' });
  }
  const total = BigInt(String(budget.fields['totalAmountMicros']));
  if (total < dayMinimumOf(customer) * BigInt(days)) throw belowMinimum(draft, field, total);
}
