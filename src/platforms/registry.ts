import type { Log } from '../telemetry/log.ts';
import type { Connectors } from './connect.ts';
import { createGoogleAdsConnector } from './google-ads/connect.ts';
import { createGoogleAds, type GoogleAdsConfig } from './google-ads/index.ts';
import { createListingConnector } from './google-business/connect.ts';
import { createGoogleBusiness, type GoogleBusinessConfig } from './google-business/index.ts';
import { createLinkedInConnector } from './linkedin/connect.ts';
import { createLinkedIn, type LinkedInConfig } from './linkedin/index.ts';
import type { ListingAdapter } from './listing.ts';
import type { Limits } from '../lib/platform-limits.ts';
import type { MediaSource } from './media.ts';
import { createPagesConnector } from './meta/connect.ts';
import { createMeta, type MetaConfig } from './meta/index.ts';
import { createPinterestConnector } from './pinterest/connect.ts';
import { createPinterest, type PinterestConfig } from './pinterest/index.ts';
import type { PlatformRegistry, Refreshers } from './platform.ts';
import { createProfilesConnector } from './snapchat/connect.ts';
import { createTikTokConnector } from './tiktok/connect.ts';
import { createTikTok, type TikTokConfig } from './tiktok/index.ts';
import { createMicroblogConnector } from './x-ads/connect.ts';
import { createXAds, type XAdsConfig } from './x-ads/index.ts';

/** Further dependencies of the consent flow. */
interface Consenting {
  authUrl: string;
  clientId?: string;
  clientSecret?: string;
}

export interface PlatformsConfig {
  A: MetaConfig & Consenting;
  B: GoogleAdsConfig & Consenting;
  C: PinterestConfig & Consenting;
  D: TikTokConfig & Consenting;
  E: XAdsConfig & Consenting & { apiUrl: string; postingClientId?: string; postingClientSecret?: string };
  F: LinkedInConfig & Consenting;
  listing: GoogleBusinessConfig & Consenting;
  ephemeralMessaging: Consenting & { baseUrl: string; adsUrl: string; tokenUrl: string };
}

export interface PlatformTools {
  media: MediaSource;
  log: Log;
  /** Shared by all processes; without it each process counts separately. */
  limits?: Limits;
}

/** Creates all adapters; the only place that knows them. */
export function createPlatforms(config: PlatformsConfig, { media, log, limits }: PlatformTools): PlatformRegistry {
  return {
    A: createMeta(config.A, limits, log),
    B: createGoogleAds(config.B, media, limits),
    C: createPinterest(config.C, media),
    D: createTikTok(config.D, media, limits),
    E: createXAds(config.E, limits),
    F: createLinkedIn(config.F, media),
  };
}

export const createListing = (config: PlatformsConfig): ListingAdapter => createGoogleBusiness(config.listing);

/** Connection flows by kind of account. */
export const createConnectors = (config: PlatformsConfig, limits?: Limits): Connectors => ({
  'network-a': createPagesConnector(config.A, 'network-a'),
  'network-b': createPagesConnector(config.A, 'network-b'),
  'search-display': createGoogleAdsConnector(config.B, limits),
  'pin-board': createPinterestConnector(config.C),
  'network-c': createTikTokConnector(config.D, limits),
  microblog: createMicroblogConnector(config.E),
  professional: createLinkedInConnector(config.F),
  listing: createListingConnector(config.listing),
  'ephemeral-messaging': createProfilesConnector(config.ephemeralMessaging),
});

/** Token refresh: the adapter's own implementation if it has one, otherwise the connector's. */
export const refreshersOf = (platforms: PlatformRegistry, connectors: Connectors): Refreshers => ({
  ...Object.fromEntries(Object.entries(connectors).map(([platform, { refresh }]) => [platform, refresh])),
  'search-display': platforms.B?.refresh,
});
