import type { AccountPlatform, AdPlatform } from '../contract/platforms.ts';
import { scopeTables } from './scopes.ts';

export interface Guide {
  upstream: string;
  /** What whoever runs the service for real registers there. */
  register: string[];
  /** Settings beside address, version, client id and client secret. */
  settings: string[];
  /** What callers of this platform should know beyond the rules. */
  notes: string[];
}

const asked = (account: AccountPlatform): string => scopeTables[account].asked.join(', ');

/** What each ad platform is in the world outside; docs/platforms.md is made of it. */
export const guides: Record<AdPlatform, Guide> = {
  A: {
    upstream: 'Meta Marketing API (Graph)',
    register: [
      'an app of type Business with the Marketing API, full access for more than 300 calls an hour and account',
      `permissions ${asked('network-a')}`,
      'the address `PUBLIC_URL/v1/connect/social-network/callback` among the valid OAuth redirect addresses',
    ],
    settings: [],
    notes: [
      'Campaign, ad set, creatives and ads are made one after the other; the campaign stays paused until all of them stand.',
      'The platform takes one write at a time per ad account.',
      '`attributionSpec`: conversions and lead_generation with a pixel take CLICK_THROUGH of 1 or 7 days, alone or with VIEW_THROUGH of 1 day; lead_generation with a form CLICK_THROUGH of 1 day only; app_promotion CLICK_THROUGH of 1 day, alone, with VIEW_THROUGH, or with VIEW_THROUGH and ENGAGED_VIDEO_VIEW; app_promotion with a minimum return CLICK_THROUGH of 1 or 7 days.',
      '`promotedObject.customEventType` is spelled as the platform spells it: CONTENT_VIEW, INITIATED_CHECKOUT. A wrong one answers with their list.',
      'A city or region cannot stand beside its own country in `countries`.',
      'A network-b account without a page of its own needs the network-a account that it belongs to on the same profile (422).',
    ],
  },
  B: {
    upstream: 'Google Ads API (REST)',
    register: [
      'a developer token of a manager account (basic access for real accounts)',
      `an OAuth client of type web application with the scopes ${asked('search-display')}`,
      'the address `PUBLIC_URL/v1/connect/search-display/callback` as its redirect address',
    ],
    settings: [
      '`PLATFORM_B_TOKEN_URL`: where tokens are renewed',
      '`PLATFORM_B_DEVELOPER_TOKEN`',
      '`PLATFORM_B_EU_POLITICAL_ADS` (`false`): what every campaign declares about political advertising in the EU',
    ],
    notes: [
      'Everything is made in one atomic request, so there is never half a campaign.',
      'Ages must follow the steps of the platform: 18-24, 25-34, 35-44, 45-54, 55-64, 65 and older.',
      'A search ad needs at least three headlines and two descriptions: headline and additionalHeadlines, body and additionalDescriptions.',
      'An ad has no name of its own: updateAd renames its ad group.',
      'The platform may keep a lifetime budget as a daily one where the kind of campaign takes no other; it is then spread over the days.',
    ],
  },
  C: {
    upstream: 'Pinterest API v5',
    register: [
      'an app with standard access (trial apps cannot make pins that others see)',
      `scopes ${asked('pin-board')}`,
      'the address `PUBLIC_URL/v1/connect/pin-board/callback` as its redirect address',
    ],
    settings: ['`PLATFORM_C_CONVERSION_OBJECTIVE` (`SALES`; `WEB_CONVERSION` for old ad accounts)'],
    notes: [
      'Without boardId a board named "Ads" is found or made once and kept for the account.',
      'Spend, impressions and clicks reach back 89 days.',
      '`promotedObject.customEventType`: conversions take CHECKOUT or PURCHASE (the default) and ADD_TO_CART, with `WEB_CONVERSION` all events of the platform; lead_generation takes SIGNUP or COMPLETE_REGISTRATION (the default) and LEAD.',
      'Ages begin at 18.',
    ],
  },
  D: {
    upstream: 'TikTok API for Business v1.3',
    register: [
      'an app for developers of the Business API, with the scopes for ads, creatives and reporting',
      'the address `PUBLIC_URL/v1/connect/network-c/callback` as its redirect address',
    ],
    settings: ['`PLATFORM_D_CALLS_PER_SECOND` (5): calls a second and advertiser'],
    notes: [
      'Ads are videos: video.url, or imageUrl carrying the address of a video.',
      'Its ads are connected apart from posting: GET /v1/connect/network-c/ads, else 422.',
      'A custom identity is made of brandIdentity with the first such ad of an ad account and kept for it.',
      'Ages become every bucket that they touch: 13-17, 18-24, 25-34, 35-44, 45-54, 55 and older.',
      'Names at the platform lose their emoji.',
    ],
  },
  E: {
    upstream: 'X Ads API v12',
    register: [
      'an app with Ads API access; its consumer key and secret are the client id and secret',
      'the callback address `PUBLIC_URL/v1/connect/microblog/callback`, for OAuth 1.0a (ads) and OAuth 2.0 (posting)',
      `scopes of OAuth 2.0: ${asked('microblog')}`,
    ],
    settings: [
      '`PLATFORM_E_API_URL`: where tokens are asked for',
      '`PLATFORM_E_POSTING_CLIENT_ID`, `_POSTING_CLIENT_SECRET`: the OAuth 2 pair of the app, where it is not the consumer key and secret',
    ],
    notes: [
      'Its ads are connected apart from posting: GET /v1/connect/microblog/ads, else 422.',
      'An ad is a promoted post: updateAd cannot rename it and setAdStatus cannot switch it (501); its campaign can be switched.',
      'Ages must be one of the ranges of the platform; a wrong one answers with their list.',
      'Without endDate a line item ends after a year.',
    ],
  },
  F: {
    upstream: 'LinkedIn Marketing API',
    register: [
      'an app with the Advertising API product, and the ad account mapped to it on the development tier',
      `scopes ${asked('professional')}`,
      'the address `PUBLIC_URL/v1/connect/professional/callback` as its redirect address',
    ],
    settings: [
      '`PLATFORM_F_TOKEN_URL`: where tokens are renewed',
      '`PLATFORM_F_VERSION` (`202608`): a version lives about a year; the start warns when it has ended',
    ],
    notes: [
      'The campaign of our answers is the campaign group there, the ad set is the campaign.',
      'The page is the given organizationId, else the connected one, else that of the ad account.',
    ],
  },
};
