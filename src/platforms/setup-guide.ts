import type { AccountPlatform, AdPlatform } from '../contract/platforms.ts';
import { scopeTables } from './scopes.ts';

export interface Guide {
  upstream: string;
  /** What an operator registers on the platform. */
  register: string[];
  /** Settings besides base URL, version, client id and client secret. */
  settings: string[];
  /** What callers of this platform need to know beyond the rules. */
  notes: string[];
  /** Who declares what about the content of ads. */
  declarations: string;
  proven: Proof;
}

/** What proves the adapter's reading of the platform. */
interface Proof {
  /** A description by the platform, in a form that tests compare requests with. */
  byDescription?: string;
  /** Pages, public reports and other people's clients. */
  byReports?: string;
  unproven: string;
}

const asked = (account: AccountPlatform): string => scopeTables[account].asked.join(', ');

/** Upstream API, setup and notes of each ad platform, for docs/platforms.md. */
export const guides: Record<AdPlatform, Guide> = {
  A: {
    upstream: 'Meta Marketing API (Graph)',
    register: [
      'an app of type Business with the Marketing API, full access for more than 300 calls per hour and account',
      `permissions ${asked('network-a')}`,
      'the address `PUBLIC_URL/v1/connect/social-network/callback` among the valid OAuth redirect addresses',
    ],
    settings: [],
    notes: [
      'Campaign, ad set, creatives and ads are created one after the other; the campaign stays paused until all of them exist.',
      'The platform accepts one write at a time per ad account.',
      '`attributionSpec`: conversions and lead_generation with a pixel accept CLICK_THROUGH of 1 or 7 days, alone or with VIEW_THROUGH of 1 day; lead_generation with a form CLICK_THROUGH of 1 day only; app_promotion CLICK_THROUGH of 1 day, alone, with VIEW_THROUGH, or with VIEW_THROUGH and ENGAGED_VIDEO_VIEW; app_promotion with a minimum return on ad spend CLICK_THROUGH of 1 or 7 days.',
      '`promotedObject.customEventType` has the spelling of the platform: CONTENT_VIEW, INITIATED_CHECKOUT. The error for another value lists the valid ones.',
      'Names in `urlParameters` ({campaignName}, {adSetName}, {adName}) stay as they are when the ad is first published; ids do not change.',
      'A city or region cannot be combined with its own country in `countries`.',
      'A network-b account without a page of its own needs the network-a account that it belongs to on the same profile (422).',
    ],
    declarations:
      'the caller declares special ad categories (`specialAdCategories`; none by default), beneficiary and payer in the EU (`dsaBeneficiary`, `dsaPayor`; if both are absent, the defaults of the ad account, read with the list of ad accounts at most every hour), and the verified advertisers that laws of other regions require (`regionalRegulation`). Campaigns copied on the platform keep their declarations.',
    proven: {
      byDescription:
        'parameters, types, enumerations, readable fields, columns of reports (facebook-java-business-sdk v26.0), required parameters (facebook-business-sdk-codegen)',
      byReports:
        'error codes and subcodes of tokens (Graph API error handling guide), search, access tokens, filtering, names of copies, breakdowns and limits of reports (developers.facebook.com)',
      unproven:
        'error subcodes and scopes beyond that guide, units inside specifications, that what a deleted or archived object contains follows it, that reports contain deleted objects if the filter names their status',
    },
  },
  B: {
    upstream: 'Google Ads API (REST)',
    register: [
      'a developer token of a manager account (basic access for real accounts)',
      `an OAuth client of type web application with the scopes ${asked('search-display')}`,
      'the address `PUBLIC_URL/v1/connect/search-display/callback` as its redirect address',
    ],
    settings: [
      '`PLATFORM_B_TOKEN_URL`: where tokens are refreshed',
      '`PLATFORM_B_DEVELOPER_TOKEN`',
      '`PLATFORM_B_EU_POLITICAL_ADS` (`false`): what a campaign declares about political advertising in the EU if its order has no `politicalAdvertising`',
      '`PLATFORM_B_OPERATIONS_PER_DAY` (0: not counted): operations of a sliding day that the access level of the developer token permits: 2880 at Explorer, 15000 at Basic, unlimited at Standard; further ones get 429 unsent',
    ],
    notes: [
      'Everything is created in one atomic request, so a campaign is never incomplete.',
      'Ages must match the ranges of the platform: 18-24, 25-34, 35-44, 45-54, 55-64, 65 and older.',
      'Keywords are texts, which match as phrases, or `{text, matchType}` (GraphQL: `keywordsWithMatchType`). `negativeKeywords` apply to the ad group of the order.',
      'A search ad needs at least three headlines and two descriptions: headline and additionalHeadlines, body and additionalDescriptions.',
      'An ad has no name of its own: updateAd renames its ad group.',
      '`interests` and `audienceId` together widen the audience: the ad is shown to people who match either.',
      'Campaigns end at 23:59:59 of a day of the ad account. Another `endDate` is moved to the last such end before it, with a warning; if that would be before the start: 400.',
      'A search campaign of 3 to 90 days holds a lifetime budget as a total. Any other lifetime budget becomes a daily one, spread over the days, with a warning: the platform may spend up to twice the daily share on a day, so the sum is not a hard limit.',
    ],
    declarations:
      'the caller declares with `politicalAdvertising` whether a campaign contains political advertising in the EU. A campaign without it declares `PLATFORM_B_EU_POLITICAL_ADS`: leave that `false` only if orders without the field are never such ads.',
    proven: {
      byDescription:
        'requests, enumerations, read-only and immutable fields, queried fields, error codes, the scope of ads (googleapis v25)',
      byReports:
        'total budgets by type of campaign, the EU declaration, daily operations and how they are counted (developers.google.com)',
      unproven:
        'which fields and metrics a query can combine, minimum budgets, limits per second, that a budget goes with its campaign',
    },
  },
  C: {
    upstream: 'Pinterest API v5',
    register: [
      'an app with standard access (pins of trial apps are not visible to others)',
      `scopes ${asked('pin-board')}`,
      'the address `PUBLIC_URL/v1/connect/pin-board/callback` as its redirect address',
    ],
    settings: ['`PLATFORM_C_CONVERSION_OBJECTIVE` (`SALES`; `WEB_CONVERSION` for old ad accounts)'],
    notes: [
      'New campaigns use campaign budget optimization, which the platform requires: the campaign carries budget and end date. Ad groups of older campaigns that carry their own are changed there.',
      'The pin is public, so it is created after the campaign and the ad group: if the platform rejects one of them, nothing public remains.',
      'Without boardId a board named "Ads" is found or created once and stored with the account.',
      'Spend, impressions and clicks cover the last 89 days.',
      '`promotedObject.customEventType`: conversions accept CHECKOUT or PURCHASE (the default) and ADD_TO_CART, with `WEB_CONVERSION` all events of the platform; lead_generation accepts SIGNUP or COMPLETE_REGISTRATION (the default) and LEAD.',
      'The minimum age is 18.',
      'With `interests`, the automatic targeting of the platform is off, because it would show the ad to people without these interests.',
    ],
    declarations: 'none; the API has no field for one.',
    proven: {
      byDescription: 'requests, enumerations, limits, scopes (Pinterest OpenAPI 5.23.0)',
      byReports: 'budgets of awareness campaigns (pinterest-python-sdk), SALES and LEADS (developers.pinterest.com)',
      unproven:
        'error codes (no registry is published), refusals of API versions, whether unknown fields are refused, that archiving cannot be undone, the names that it replaces in links',
    },
  },
  D: {
    upstream: 'TikTok API for Business v1.3',
    register: [
      'an app for developers of the Business API, with the scopes for ads, creatives and reporting',
      'the address `PUBLIC_URL/v1/connect/network-c/callback` as its redirect address',
    ],
    settings: [
      '`PLATFORM_D_CALLS_PER_SECOND` (5): calls per second and advertiser',
      '`PLATFORM_D_APP_CALLS_PER_SECOND` (8): calls per second of the developer app; the platform permits 10 at its basic level, 20, 30 and 50 at the others',
      '`PLATFORM_D_SUSPENSION_SECONDS` (300): how long the app makes no call after the platform limited it',
      '`PLATFORM_D_DYNAMIC_DAILY` (false): the platform permits daily budgets at campaign level for awareness, video views and engagement too',
    ],
    notes: [
      'Ads are videos: set video.url, or imageUrl to the address of a video.',
      'Ads need their own connection besides posting, GET /v1/connect/network-c/ads; otherwise 422.',
      'The first ad with brandIdentity creates a custom identity, which later ads of the ad account reuse.',
      'Ages are extended to the ranges of the platform: 13-17, 18-24, 25-34, 35-44, 45-54, 55 and older.',
      'Emoji are removed from names at the platform.',
      'With budgetLevel campaign, the ad group has no budget and daily budgets are dynamic: at most 25 % more on a day, 7 times the amount in a week. Automatic campaigns (Smart+) are only read.',
      'Ads do not run in search results: the platform would include them by default, and they cannot be excluded later.',
      'Ads for people below 18 are rejected where the platform restricts them, among others in the US; the region look-up of each order says where.',
      'LOWEST_COST_WITH_MIN_ROAS uses VO_MIN_ROAS, which the platform enables only for ad accounts on its allow-list; ask its support.',
    ],
    declarations:
      'the caller declares housing, employment or financial products with `specialAdCategories` (`special_industries` at the platform); none by default. The platform accepts none later and no change: a campaign with a wrong one must be created again. Copies keep them.',
    proven: {
      byDescription: 'paths, fields, types, required fields, error codes (tiktok-business-api-sdk)',
      byReports:
        'values of enumerations, combinations, uploads as JSON, limits of the app, further error codes (third-party clients and harvests of the portal)',
      unproven:
        'scopes (numbers that the app is approved for), whether `page_id` must be a number, the code of a change of a deleted object',
    },
  },
  E: {
    upstream: 'X Ads API v12',
    register: [
      'an app with Ads API access; its consumer key and secret are the client id and secret',
      'the callback address `PUBLIC_URL/v1/connect/microblog/callback`, for OAuth 1.0a (ads) and OAuth 2.0 (posting)',
      `scopes of OAuth 2.0: ${asked('microblog')}`,
    ],
    settings: [
      '`PLATFORM_E_API_URL`: where tokens are requested',
      '`PLATFORM_E_POSTING_CLIENT_ID`, `_POSTING_CLIENT_SECRET`: the OAuth 2 pair of the app, if it differs from the consumer key and secret',
    ],
    notes: [
      'Ads need their own connection besides posting, GET /v1/connect/microblog/ads; otherwise 422.',
      '`linkUrl` with its `urlParameters` is sent as part of the text and counts 24 characters however long it is. Characters at which the platform would end the link are percent-encoded. The host name needs a top-level domain.',
      'An ad is a promoted post: updateAd cannot rename it and setAdStatus cannot pause it (501); setCampaignStatus pauses its campaign.',
      'Ages must be one of the ranges of the platform; the error for another range lists them.',
      'Without endDate a line item ends after a year.',
      'At most 100 `interests`. `interests` and `audienceId` together widen the audience: the ad is shown to people who match either.',
      'Line items carry the budgets; the amounts of a campaign are limits (spendLimit), which follow the budget of its only line item.',
    ],
    declarations: 'none; the API has no field for one.',
    proven: {
      byDescription: 'parameters, values, limits, required parameters, error codes, scopes (X Ads API 12)',
      byReports: 'rate-limit headers, when metrics are final (developer.x.com)',
      unproven:
        'that parameters are taken from a form as well as from the query, what a removed API version answers, that `operator_type` NE excludes custom audiences',
    },
  },
  F: {
    upstream: 'LinkedIn Marketing API',
    register: [
      'an app with the Advertising API product, and the ad account mapped to it on the development tier',
      `scopes ${asked('professional')}`,
      'the address `PUBLIC_URL/v1/connect/professional/callback` as its redirect address',
    ],
    settings: [
      '`PLATFORM_F_TOKEN_URL`: where tokens are refreshed',
      '`PLATFORM_F_VERSION` (`202608`): a version is valid for about a year',
      '`PLATFORM_F_FIGURES_RETENTION_MONTHS` (3): how many months of daily figures are stored besides the current month, at most `FIGURES_RETENTION_MONTHS`; check the data storage requirements of the platform before you raise it',
    ],
    notes: [
      'A campaign of this API is a campaign group at the platform; an ad set is a campaign there.',
      'With budgetLevel campaign, the group distributes its budget (strategy DYNAMIC) and has the end of a lifetime budget; a bid makes it MANUAL. Without the strategy the budget of a group is a limit (spendLimit).',
      '`urlParameters` belong to the ad set: they are added to the links of all its ads, also later ones, and updateAd changes them for all. A value is text or one name in braces. Parameters of found ads are not read.',
      'The default group of an ad account cannot be changed.',
      'The page is organizationId if given, otherwise the connected page, otherwise that of the ad account.',
    ],
    declarations:
      'the caller declares with `politicalAdvertising` whether a campaign is political advertising (`POLITICAL` or `NOT_POLITICAL`); without it the campaign declares `NOT_POLITICAL`. The platform allows no political ads in the EU, and obliges applications to show advertisers a consent statement before they target the EU and to send its outcome: a client that calls this API shows the statement and sends the outcome in `politicalAdvertising`.',
    proven: {
      byReports:
        'fields, values, required fields, combinations, error codes, scopes (third-party references and harvests of learn.microsoft.com)',
      unproven:
        'uploads, analytics, posts beyond those fields: the platform publishes pages only; that campaigns of an archived group stop',
    },
  },
};
