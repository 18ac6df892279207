import { own } from '../../lib/own.ts';

/** The kinds of errors that are no final refusal of the request. */
export type CodeClass = 'token' | 'throttled' | 'lost' | 'retryable' | 'missing';

const byClass: Record<CodeClass, string[]> = {
  /** The user must sign in again. */
  token: [
    'AUTHENTICATION_ERROR',
    'GOOGLE_ACCOUNT_AUTHENTICATION_FAILED',
    'GOOGLE_ACCOUNT_COOKIE_INVALID',
    'GOOGLE_ACCOUNT_DELETED',
    'LOGIN_COOKIE_INVALID',
    'LOGIN_COOKIE_REQUIRED',
    'OAUTH_TOKEN_DISABLED',
    'OAUTH_TOKEN_EXPIRED',
    'OAUTH_TOKEN_HEADER_INVALID',
    'OAUTH_TOKEN_INVALID',
    'OAUTH_TOKEN_REVOKED',
  ],
  throttled: [
    'RESOURCE_EXHAUSTED',
    'RESOURCE_TEMPORARILY_EXHAUSTED',
    'EXCESSIVE_SHORT_TERM_QUERY_RESOURCE_CONSUMPTION',
    'EXCESSIVE_LONG_TERM_QUERY_RESOURCE_CONSUMPTION',
    'PAYMENTS_PROFILE_ACTIVATION_RATE_LIMIT_EXCEEDED',
  ],
  /** A write may have been carried out. */
  lost: ['INTERNAL_ERROR', 'TRANSIENT_ERROR', 'DEADLINE_EXCEEDED'],
  /** Certainly not executed and worth a retry. */
  retryable: [
    'CONCURRENT_MODIFICATION',
    'RPC_DEADLINE_TOO_SHORT',
    'EXPIRED_PAGE_TOKEN',
    'STORAGE_ERROR',
    'SERVER_ERROR',
    'ERROR_STORING_IMAGE',
  ],
  missing: ['RESOURCE_NOT_FOUND'],
};

const classes = new Map(
  Object.entries(byClass).flatMap(([name, codes]) => codes.map((code) => [code, name as CodeClass])),
);

/** The class of a code; undefined for a final refusal. */
export const classOf = (code: string): CodeClass | undefined => classes.get(code);

const defaultWait = 60;
/** Limits that are counted over hours or a day. */
const longWaits: Record<string, number> = {
  EXCESSIVE_LONG_TERM_QUERY_RESOURCE_CONSUMPTION: 3600,
  PAYMENTS_PROFILE_ACTIVATION_RATE_LIMIT_EXCEEDED: 3600,
};

/** Seconds to wait after a limit, if the platform names none. */
export const waitAfter = (codes: string[]): number =>
  Math.max(defaultWait, ...codes.map((code) => own(longWaits, code) ?? 0));

interface Known {
  field?: string;
  /** States what to do; the platform's own message often does not. */
  hint?: string;
}

const tooLow = { field: 'budgetAmount', hint: 'The budget is below the minimum of the platform' };
const tooMany = { hint: 'The ad account has reached the maximum number of objects of this kind' };
const developerToken = { hint: "The platform does not accept this installation's developer token" };
const cloudProject = {
  hint: "The platform does not accept this installation's Google Cloud project for the developer token",
};
const organization = {
  hint: "The organization of the developer token does not approve this installation's Google Cloud project",
};
const secondFactor = { hint: 'The connected user must enrol in 2-Step Verification and connect again' };
const wrongKeyword = { field: 'keywords', hint: 'A keyword has at most 80 characters and 10 words' };
const readOnly = { hint: 'The connected user may not change this ad account' };
const noTotal = { field: 'budgetType', hint: 'The campaign takes no lifetime budget for its whole run' };
const wholeDays = {
  field: 'endDate',
  hint: 'A campaign of this kind starts and ends with a day of the ad account (00:00:00 and 23:59:59)',
};
const noAccess =
  'The connection has no access to this ad account: reconnect it, through its manager account if it has one';
const declarationMissing =
  'Campaigns of this ad account lack the declaration on political advertising in the EU; add it in the ad account';

/** Codes that ask for more than the platform's own message says, or that name a field only by themselves. */
const known: Record<string, Known> = {
  BUDGET_BELOW_PER_DAY_MINIMUM: tooLow,
  END_DATE_TIME_REQUIRED_FOR_TOTAL_BUDGET: { field: 'endDate', hint: 'A lifetime budget needs an end' },
  DURATION_TOO_LONG_FOR_TOTAL_BUDGET: {
    field: 'endDate',
    hint: 'A campaign with a lifetime budget runs for 90 days at most',
  },
  INVALID_PERIOD: noTotal,
  INCOMPATIBLE_BUDGET_TYPE: noTotal,
  NOT_COMPATIBLE_WITH_BUDGET_TYPE: noTotal,
  CAMPAIGN_BUDGET_PERIOD_NOT_AVAILABLE: noTotal,
  DATE_RANGE_ERROR_START_TIME_MUST_BE_THE_START_OF_A_DAY: { ...wholeDays, field: 'startDate' },
  DATE_RANGE_ERROR_END_TIME_MUST_BE_THE_END_OF_A_DAY: wholeDays,
  START_DATE_AFTER_END_DATE: { field: 'endDate' },
  CANNOT_SET_DATE_TO_PAST: {
    field: 'endDate',
    hint: 'The date must not be before today in the time zone of the ad account',
  },
  AFTER_MAXIMUM_ALLOWABLE_DATE: { field: 'endDate' },
  LATER_THAN_MAXIMUM_DATE: { field: 'endDate' },
  EU_POLITICAL_ADVERTISING_DECLARATION_REQUIRED: { hint: declarationMissing },
  MISSING_EU_POLITICAL_ADVERTISING_SELF_DECLARATION: { field: 'politicalAdvertising' },
  HEC_AGREEMENT_REQUIRED: {
    hint: 'The ad account must accept the policy of the platform on personalised ads about housing, employment and credit; accept it there',
  },
  DUPLICATE_CAMPAIGN_NAME: { field: 'name' },
  CANNOT_ADD_USER_INTERESTS_TO_SEARCH_CAMPAIGNS: { field: 'interests' },
  INVALID_KEYWORD_TEXT: wrongKeyword,
  KEYWORD_TEXT_TOO_LONG: wrongKeyword,
  KEYWORD_HAS_TOO_MANY_WORDS: wrongKeyword,
  KEYWORD_HAS_INVALID_CHARS: { field: 'keywords', hint: 'A keyword contains a character that the platform rejects' },
  CANNOT_EXCLUDE_ALL_TARGETS: { field: 'excludedCountries', hint: 'The exclusions leave no place to show the ad' },
  CANNOT_EXCLUDE_SIMILAR_USER_LIST: { field: 'excludedAudienceIds' },
  ACCOUNT_LIMIT: tooMany,
  CAMPAIGN_LIMIT: tooMany,
  ADGROUP_LIMIT: tooMany,
  AD_GROUP_AD_LIMIT: tooMany,
  AD_GROUP_CRITERION_LIMIT: tooMany,
  SHARED_SET_LIMIT: tooMany,
  MATCHING_FUNCTION_LIMIT: tooMany,
  RESOURCE_LIMIT: tooMany,
  USER_PERMISSION_DENIED: { hint: noAccess },
  INVALID_LOGIN_CUSTOMER_ID_SERVING_CUSTOMER_ID_COMBINATION: { hint: noAccess },
  NOT_ADS_USER: { hint: 'The connected user has no ads account on this platform' },
  CUSTOMER_NOT_FOUND: { hint: 'The platform has no such ad account' },
  CUSTOMER_NOT_ENABLED: { hint: 'The ad account is closed or not yet set up' },
  DEVELOPER_TOKEN_NOT_APPROVED: { hint: "This installation's developer token is approved for test accounts only" },
  DEVELOPER_TOKEN_INVALID: developerToken,
  DEVELOPER_TOKEN_NOT_ON_ALLOWLIST: developerToken,
  DEVELOPER_TOKEN_PROHIBITED: developerToken,
  PROJECT_DISABLED: cloudProject,
  CLOUD_PROJECT_NOT_FOUND: cloudProject,
  CLOUD_PROJECT_NOT_UNDER_ORGANIZATION: cloudProject,
  CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION: cloudProject,
  ORGANIZATION_NOT_RECOGNIZED: organization,
  ORGANIZATION_NOT_APPROVED: organization,
  ORGANIZATION_NOT_ASSOCIATED_WITH_DEVELOPER_TOKEN: organization,
  ACCESS_PROHIBITED: { hint: 'The platform blocks this installation: its developer token has lost its quota' },
  UNSUPPORTED_VERSION: {
    hint: 'The platform has ended the configured API version: set PLATFORM_B_VERSION to a newer one',
  },
  TWO_STEP_VERIFICATION_NOT_ENROLLED: secondFactor,
  ADVANCED_PROTECTION_NOT_ENROLLED: { hint: 'The connected user must enrol in the Advanced Protection Program' },
  ACTION_NOT_PERMITTED: readOnly,
  WRITE_ACCESS_DENIED: readOnly,
  MUTATE_NOT_PERMITTED_FOR_CUSTOMER: readOnly,
  ACTION_NOT_PERMITTED_FOR_SUSPENDED_ACCOUNT: { hint: 'The platform has suspended the ad account' },
  INCOMPLETE_SIGNUP: { hint: 'The ad account is not set up completely' },
  MISSING_TOS: { hint: "The ad account has not accepted the platform's terms of service" },
  ACCOUNT_NOT_SET_UP: { hint: 'The ad account is not set up completely' },
  CANNOT_BE_EXECUTED_BY_MANAGER_ACCOUNT: { hint: 'A manager account has no campaigns: use an ad account below it' },
  CUSTOMER_NOT_ALLOWLISTED_FOR_THIS_FEATURE: { hint: 'The platform has not enabled the feature for this ad account' },
  CONVERSION_TRACKING_NOT_ENABLED: {
    field: 'goal',
    hint: 'The ad account has no conversion tracking, which the goal requires',
  },
  BID_TOO_SMALL: { field: 'bidAmount' },
  BID_TOO_BIG: { field: 'bidAmount' },
  INVALID_BID: { field: 'bidAmount' },
  MONEY_AMOUNT_TOO_LARGE: { field: 'budgetAmount' },
  MONEY_AMOUNT_LESS_THAN_CURRENCY_MINIMUM_CPC: tooLow,
  NEGATIVE_MONEY_AMOUNT: { field: 'budgetAmount' },
  NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT: { field: 'budgetAmount' },
  DEVELOPER_TOKEN_PARAMETER_MISSING: { hint: 'This installation has no developer token' },
  POLICY_FINDING: { hint: "The ad breaks the platform's policies" },
};

export const knownCodes = Object.keys(known);

/** What is known of a code besides its class. */
export const knownCode = (code: string | undefined): Known | undefined => own(known, code ?? '');
