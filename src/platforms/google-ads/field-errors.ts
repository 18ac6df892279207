import type { Operation } from './wire.ts';
import { own } from '../../lib/own.ts';

export interface PathElement {
  fieldName: string;
  index?: number;
}

/** Platform field → our field path. */
const ourFields: Record<string, string> = {
  amount_micros: 'budgetAmount',
  total_amount_micros: 'budgetAmount',
  end_date_time: 'endDate',
  cpc_bid_ceiling_micros: 'bidAmount',
  target_cpa_micros: 'bidAmount',
  cpm_bid_micros: 'bidAmount',
  long_headline: 'longHeadline',
  business_name: 'businessName',
  final_urls: 'linkUrl',
  marketing_images: 'images.landscape',
  square_marketing_images: 'images.square',
  advertising_channel_type: 'campaignType',
  target_spend: 'goal',
  maximize_conversions: 'goal',
  manual_cpm: 'goal',
  target_impression_share: 'goal',
  name: 'name',
};

/** Lists whose first text is a field of its own. */
const textLists: Record<string, { first: string; others: string }> = {
  headlines: { first: 'headline', others: 'additionalHeadlines' },
  descriptions: { first: 'body', others: 'additionalDescriptions' },
};

interface Known {
  field?: string;
  /** States what to do; the platform's own message often does not. */
  hint?: string;
}

const tooLow = { field: 'budgetAmount', hint: 'The budget is below the minimum of the platform' };
const noTotal = { field: 'budgetType', hint: 'The campaign takes no lifetime budget for its whole run' };
const wholeDays = {
  field: 'endDate',
  hint: 'A campaign of this kind starts and ends with a day of the ad account (00:00:00 and 23:59:59)',
};
const noAccess =
  'The connection has no access to this ad account: reconnect it, through its manager account if it has one';
const declarationMissing =
  'Campaigns of this ad account lack the declaration on political advertising in the EU; add it in the ad account';

/** Common rejections by code. */
const known: Record<string, Known> = {
  BUDGET_BELOW_PER_DAY_MINIMUM: tooLow,
  BUDGET_AMOUNT_TOO_SMALL: tooLow,
  BUDGET_AMOUNT_TOO_LARGE: { field: 'budgetAmount' },
  END_DATE_TIME_REQUIRED_FOR_TOTAL_BUDGET: { field: 'endDate', hint: 'A lifetime budget needs an end' },
  DURATION_TOO_LONG_FOR_TOTAL_BUDGET: {
    field: 'endDate',
    hint: 'A campaign with a lifetime budget runs for 90 days at most',
  },
  INVALID_PERIOD: noTotal,
  INCOMPATIBLE_BUDGET_TYPE: noTotal,
  NOT_COMPATIBLE_WITH_BUDGET_TYPE: noTotal,
  CAMPAIGN_BUDGET_PERIOD_NOT_AVAILABLE: noTotal,
  DATE_RANGE_ERROR_START_TIME_MUST_BE_THE_START_OF_A_DAY: wholeDays,
  DATE_RANGE_ERROR_END_TIME_MUST_BE_THE_END_OF_A_DAY: wholeDays,
  START_DATE_AFTER_END_DATE: { field: 'endDate' },
  CANNOT_SET_DATE_TO_PAST: {
    field: 'endDate',
    hint: 'The end must not be before today in the time zone of the ad account',
  },
  AFTER_MAXIMUM_ALLOWABLE_DATE: { field: 'endDate' },
  LATER_THAN_MAXIMUM_DATE: { field: 'endDate' },
  EU_POLITICAL_ADVERTISING_DECLARATION_REQUIRED: { hint: declarationMissing },
  DUPLICATE_CAMPAIGN_NAME: { field: 'name' },
  CANNOT_ADD_USER_INTERESTS_TO_SEARCH_CAMPAIGNS: { field: 'interests' },
  RESOURCE_COUNT_LIMIT_EXCEEDED: { hint: 'The ad account has reached the maximum number of objects of this kind' },
  USER_PERMISSION_DENIED: { hint: noAccess },
  INVALID_LOGIN_CUSTOMER_ID_SERVING_CUSTOMER_ID_COMBINATION: { hint: noAccess },
  NOT_ADS_USER: { hint: 'The connected user has no ads account on this platform' },
  CUSTOMER_NOT_FOUND: { hint: 'The platform has no such ad account' },
  CUSTOMER_NOT_ENABLED: { hint: 'The ad account is closed or not yet set up' },
  DEVELOPER_TOKEN_NOT_APPROVED: { hint: "This installation's developer token is approved for test accounts only" },
  DEVELOPER_TOKEN_PARAMETER_MISSING: { hint: 'This installation has no developer token' },
  POLICY_FINDING: { hint: "The ad breaks the platform's policies" },
};

export const hintOf = (code: string | undefined): string | undefined => own(known, code ?? '')?.hint;

/** Maps a rejection to our field path; undefined if it concerns no field of the caller. */
export function rejectedField(code: string, path: PathElement[], operations: Operation[] = []): string | undefined {
  const at = path.find(({ fieldName }) => fieldName === 'mutate_operations')?.index;
  const carried = at === undefined ? undefined : operations[at]?.field;
  if (carried !== undefined) return carried;
  // The last known path element is the most specific.
  for (const { fieldName, index = 0 } of path.toReversed()) {
    const list = own(textLists, fieldName);
    if (list) return index === 0 ? list.first : `${list.others}.${index - 1}`;
    const field = own(ourFields, fieldName);
    if (field) return field === 'images.landscape' ? landscapeField(operations) : field;
  }
  return own(known, code)?.field;
}

/** The landscape image has two possible input fields. */
const landscapeField = (operations: Operation[]): string =>
  operations.some(({ field }) => field === 'imageUrl') ? 'imageUrl' : 'images.landscape';
