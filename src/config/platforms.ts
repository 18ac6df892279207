import { z } from 'zod';
import { number, oneOf, webAddress, setting } from './values.ts';
import type { PlatformsConfig } from '../platforms/registry.ts';

const address = (fallback: string) => webAddress(fallback).default(fallback);
const version = (pattern: RegExp, fallback: string) =>
  z.string().regex(pattern, `must look like ${fallback}`).default(fallback);
const optional = z.string().optional();

/** Each platform's URLs, version and app, under its own prefix. */
export const PlatformEnvironment = z.object({
  PLATFORM_TIMEOUT_SECONDS: setting(
    number({ min: 0.1, max: 120 }).default(20),
    'timeout of a call to a platform; uploads get several times as long',
  ),
  PLATFORM_A_BASE_URL: address('https://graph.facebook.com'),
  PLATFORM_A_AUTH_URL: address('https://www.facebook.com/dialog/oauth'),
  PLATFORM_A_VERSION: version(/^v\d+\.\d+$/, 'v26.0'),
  PLATFORM_A_CLIENT_ID: optional,
  PLATFORM_A_CLIENT_SECRET: optional,
  PLATFORM_B_BASE_URL: address('https://googleads.googleapis.com'),
  PLATFORM_B_AUTH_URL: address('https://accounts.google.com/o/oauth2/v2/auth'),
  PLATFORM_B_TOKEN_URL: address('https://oauth2.googleapis.com/token'),
  PLATFORM_B_VERSION: version(/^v\d+$/, 'v25'),
  PLATFORM_B_CLIENT_ID: optional,
  PLATFORM_B_CLIENT_SECRET: optional,
  PLATFORM_B_DEVELOPER_TOKEN: optional,
  PLATFORM_B_EU_POLITICAL_ADS: oneOf('true', 'false').default('false'),
  PLATFORM_B_OPERATIONS_PER_DAY: number({ min: 0, max: 100_000_000 }).default(0),
  PLATFORM_C_BASE_URL: address('https://api.pinterest.com'),
  PLATFORM_C_AUTH_URL: address('https://www.pinterest.com/oauth/'),
  PLATFORM_C_VERSION: version(/^v\d+$/, 'v5'),
  PLATFORM_C_CLIENT_ID: optional,
  PLATFORM_C_CLIENT_SECRET: optional,
  PLATFORM_C_CONVERSION_OBJECTIVE: oneOf('SALES', 'WEB_CONVERSION').default('SALES'),
  PLATFORM_D_BASE_URL: address('https://business-api.tiktok.com/open_api'),
  PLATFORM_D_AUTH_URL: address('https://business-api.tiktok.com/portal/auth'),
  PLATFORM_D_VERSION: version(/^v\d+\.\d+$/, 'v1.3'),
  PLATFORM_D_CALLS_PER_SECOND: number({ min: 0.1, max: 1000 }).default(5),
  PLATFORM_D_APP_CALLS_PER_SECOND: number({ min: 0.1, max: 1000 }).default(8),
  PLATFORM_D_SUSPENSION_SECONDS: number({ min: 0, max: 3600 }).default(300),
  PLATFORM_D_DYNAMIC_DAILY: oneOf('true', 'false').default('false'),
  PLATFORM_D_CLIENT_ID: optional,
  PLATFORM_D_CLIENT_SECRET: optional,
  PLATFORM_E_BASE_URL: address('https://ads-api.x.com'),
  PLATFORM_E_API_URL: address('https://api.x.com'),
  PLATFORM_E_AUTH_URL: address('https://x.com/i/oauth2/authorize'),
  PLATFORM_E_VERSION: version(/^\d+$/, '12'),
  PLATFORM_E_CLIENT_ID: optional,
  PLATFORM_E_CLIENT_SECRET: optional,
  PLATFORM_E_POSTING_CLIENT_ID: optional,
  PLATFORM_E_POSTING_CLIENT_SECRET: optional,
  PLATFORM_F_BASE_URL: address('https://api.linkedin.com/rest'),
  PLATFORM_F_AUTH_URL: address('https://www.linkedin.com/oauth/v2/authorization'),
  PLATFORM_F_TOKEN_URL: address('https://www.linkedin.com/oauth/v2/accessToken'),
  PLATFORM_F_VERSION: version(/^\d{6}$/, '202608'),
  PLATFORM_F_FIGURES_RETENTION_MONTHS: number({ min: 1, max: 36, isWhole: true }).default(3),
  PLATFORM_F_CLIENT_ID: optional,
  PLATFORM_F_CLIENT_SECRET: optional,
  LISTING_BASE_URL: address('https://mybusinessbusinessinformation.googleapis.com/v1'),
  LISTING_ACCOUNT_URL: address('https://mybusinessaccountmanagement.googleapis.com/v1'),
  LISTING_AUTH_URL: address('https://accounts.google.com/o/oauth2/v2/auth'),
  LISTING_TOKEN_URL: address('https://oauth2.googleapis.com/token'),
  LISTING_CLIENT_ID: optional,
  LISTING_CLIENT_SECRET: optional,
  EPHEMERAL_MESSAGING_BASE_URL: address('https://businessapi.snapchat.com/v1'),
  EPHEMERAL_MESSAGING_ADS_URL: address('https://adsapi.snapchat.com/v1'),
  EPHEMERAL_MESSAGING_AUTH_URL: address('https://accounts.snapchat.com/login/oauth2/authorize'),
  EPHEMERAL_MESSAGING_TOKEN_URL: address('https://accounts.snapchat.com/login/oauth2/access_token'),
  EPHEMERAL_MESSAGING_CLIENT_ID: optional,
  EPHEMERAL_MESSAGING_CLIENT_SECRET: optional,
});
type PlatformEnvironment = z.output<typeof PlatformEnvironment>;

type Prefix = 'PLATFORM_A' | 'PLATFORM_B' | 'PLATFORM_C' | 'PLATFORM_D' | 'PLATFORM_E' | 'PLATFORM_F';

export function platformsConfig(env: PlatformEnvironment): PlatformsConfig {
  const common = (prefix: Prefix) => ({
    baseUrl: env[`${prefix}_BASE_URL`],
    authUrl: env[`${prefix}_AUTH_URL`],
    version: env[`${prefix}_VERSION`],
    clientId: env[`${prefix}_CLIENT_ID`],
    clientSecret: env[`${prefix}_CLIENT_SECRET`],
    timeoutMs: env.PLATFORM_TIMEOUT_SECONDS * 1000,
  });
  return {
    A: common('PLATFORM_A'),
    B: {
      ...common('PLATFORM_B'),
      tokenUrl: env.PLATFORM_B_TOKEN_URL,
      developerToken: env.PLATFORM_B_DEVELOPER_TOKEN ?? '',
      euPoliticalAdvertising: env.PLATFORM_B_EU_POLITICAL_ADS === 'true',
      operationsPerDay: env.PLATFORM_B_OPERATIONS_PER_DAY,
    },
    C: { ...common('PLATFORM_C'), conversionObjective: env.PLATFORM_C_CONVERSION_OBJECTIVE },
    D: {
      ...common('PLATFORM_D'),
      callsPerSecond: env.PLATFORM_D_CALLS_PER_SECOND,
      appCallsPerSecond: env.PLATFORM_D_APP_CALLS_PER_SECOND,
      suspensionSeconds: env.PLATFORM_D_SUSPENSION_SECONDS,
      dynamicDailyBudgets: env.PLATFORM_D_DYNAMIC_DAILY === 'true',
    },
    E: {
      ...common('PLATFORM_E'),
      apiUrl: env.PLATFORM_E_API_URL,
      postingClientId: env.PLATFORM_E_POSTING_CLIENT_ID,
      postingClientSecret: env.PLATFORM_E_POSTING_CLIENT_SECRET,
    },
    F: { ...common('PLATFORM_F'), tokenUrl: env.PLATFORM_F_TOKEN_URL },
    listing: {
      baseUrl: env.LISTING_BASE_URL,
      accountUrl: env.LISTING_ACCOUNT_URL,
      authUrl: env.LISTING_AUTH_URL,
      tokenUrl: env.LISTING_TOKEN_URL,
      clientId: env.LISTING_CLIENT_ID,
      clientSecret: env.LISTING_CLIENT_SECRET,
      timeoutMs: env.PLATFORM_TIMEOUT_SECONDS * 1000,
    },
    ephemeralMessaging: {
      baseUrl: env.EPHEMERAL_MESSAGING_BASE_URL,
      adsUrl: env.EPHEMERAL_MESSAGING_ADS_URL,
      authUrl: env.EPHEMERAL_MESSAGING_AUTH_URL,
      tokenUrl: env.EPHEMERAL_MESSAGING_TOKEN_URL,
      clientId: env.EPHEMERAL_MESSAGING_CLIENT_ID,
      clientSecret: env.EPHEMERAL_MESSAGING_CLIENT_SECRET,
    },
  };
}
