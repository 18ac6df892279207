import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { PlatformEnvironment, platformsConfig } from './platforms.ts';
import {
  baseAddress,
  count,
  encryptionKeys,
  flag,
  number,
  oneOf,
  origins,
  ranges,
  seconds,
  secondsOrNone,
  storeAddress,
  webAddress,
} from './values.ts';
import type { PlatformsConfig } from '../platforms/registry.ts';
import type { DuplicationTimes } from '../services/context.ts';
import type { DeliveryTimes } from '../services/webhooks/schedule.ts';

// Timers of longer than some 24 days run without a pause.
const often = { min: 0.1, max: 86_400 };

const Environment = z.object({
  NODE_ENV: oneOf('development', 'test', 'production').default('development'),
  ROLE: oneOf('api', 'worker', 'all').default('all'),
  PORT: number({ min: 0, max: 65_535, isWhole: true }).default(4000),
  HOST: z.string().optional(),
  PUBLIC_URL: baseAddress('https://api.example.com').optional(),
  DATA_DIR: z.string().default('.data'),
  MONGODB_URI: storeAddress(/^mongodb(\+srv)?:\/\//, 'mongodb://localhost:27017/social'),
  REDIS_URL: storeAddress(/^(rediss?|unix|redis\+unix):\/\/|^\//, 'redis://localhost:6379'),
  REDIS_PREFIX: z
    .string()
    .regex(/^[\w-]{1,32}$/, 'must be 1 to 32 letters, digits, hyphens or underscores')
    .default('social'),
  ENCRYPTION_KEYS: encryptionKeys,
  LOG_LEVEL: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
  RATE_LIMIT_SMALL: count(60),
  RATE_LIMIT_MEDIUM: count(600),
  RATE_LIMIT_LARGE: count(1200),
  GRAPHQL_INTROSPECTION: flag(true),
  GRAPHQL_EXPLORER: flag(true),
  GRAPHQL_MAX_COST: count(5000),
  SUBSCRIPTIONS_PER_KEY: count(20),
  CORS_ORIGINS: origins,
  MEDIA_SPOOL_DIR: z.string().default(join(tmpdir(), 'social-ads-media')),
  MEDIA_SPOOL_MB: number({ min: 500, isWhole: true }).default(2_000),
  EGRESS_PROXY: webAddress('http://proxy:3128').optional(),
  WEBHOOK_ALLOWED_CIDRS: ranges,
  WEBHOOK_REQUIRE_HTTPS: flag(false),
  WEBHOOK_FAILURE_LIMIT: count(10),
  WEBHOOK_RETRY_SCHEDULE: seconds.optional(),
  WEBHOOK_CIRCUIT_BREAKER_SCHEDULE: secondsOrNone.optional(),
  WEBHOOK_TIMEOUT_SECONDS: number({ min: 0.1, max: 60 }).default(15),
  METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress('http://collector:4318').optional(),
  OTEL_SERVICE_NAME: z.string().default('social-ads-api'),
  ORDER_LEASE_SECONDS: number({ min: 0.1, max: 3600 }).default(180),
  RECONCILE_AFTER_SECONDS: number({ min: 0, max: 604_800 }).default(120),
  SWEEP_INTERVAL_SECONDS: number(often).optional(),
  RECONCILE_INTERVAL_SECONDS: number(often).default(15),
  REFRESH_EVERY_SECONDS: number(often).default(30),
  DUPLICATION_LEASE_SECONDS: number({ min: 1, max: 3600 }).default(90),
  DUPLICATION_IN_FLIGHT_SECONDS: number({ min: 0, max: 3600 }).default(60),
  DISCOVERY_EVERY_HOURS: number({ min: 0, max: 168 }).default(6),
  ...PlatformEnvironment.shape,
});

/** The ladder of the Standard Webhooks example, and probes over some eight hours. */
const productionRetries = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
const productionProbes = [30, 120, 600, 1800, 3600, 7200, 14_400];
/** Short enough for a person to watch. */
const tryingRetries = [0, 1, 2, 5, 10, 20, 30, 60, 120, 300];
const tryingProbes = [1, 2, 3, 5, 8, 10, 15];

export interface Config {
  isProduction: boolean;
  role: 'api' | 'worker' | 'all';
  port: number;
  host: string;
  publicUrl: string;
  /** PUBLIC_URL is set, so other machines reach the service. */
  hasPublicUrl: boolean;
  dataDir: string;
  mongoUri: string;
  redisUrl: string;
  redisPrefix: string;
  encryptionKeys: string[];
  logLevel: string;
  rateLimits: { small: number; medium: number; large: number };
  graphql: { introspection: boolean; explorer: boolean; maxCost: number };
  subscriptionsPerKey: number;
  /** Origins whose browser applications may call both APIs. */
  corsOrigins: string[];
  metricsToken?: string;
  /** Set only where traces are wanted; the exporter reads the address for itself. */
  tracedAs?: string;
  /** An HTTP proxy that everything to callers' addresses goes through. */
  egressProxy?: string;
  webhooks: DeliveryTimes & { allowedCidrs: string[]; requireHttps: boolean };
  /** Callers' media on their way to a platform: large files on disk, small ones in memory. */
  media: { spoolDir: string; spoolBytes: number; memoryBytes: number };
  duplications: DuplicationTimes;
  orderLeaseMs: number;
  reconcileAfterMs: number;
  reconcileIntervalMs: number;
  sweepIntervalMs: number;
  refreshEveryMs: number;
  discoveryEveryMs: number;
  platforms: PlatformsConfig;
}

type Environment = NodeJS.ProcessEnv;

/** ENCRYPTION_KEYS, or their former name SEALING_KEYS. */
export const givenKeys = (environment: Environment): string | undefined =>
  environment['ENCRYPTION_KEYS'] || environment['SEALING_KEYS'] || undefined;

/** The error if both names are set to different values. */
export function formerNameFault({ ENCRYPTION_KEYS, SEALING_KEYS }: Environment): string | undefined {
  if (!ENCRYPTION_KEYS || !SEALING_KEYS || ENCRYPTION_KEYS === SEALING_KEYS) return undefined;
  return 'SEALING_KEYS is the former name of ENCRYPTION_KEYS, and both are set to different values; keep ENCRYPTION_KEYS only';
}

/** Settings that may be empty. For all others an empty value means "not set", as in compose files. */
const mayBeEmpty = new Set(['WEBHOOK_CIRCUIT_BREAKER_SCHEDULE']);

const parse = (environment: Environment) =>
  Environment.safeParse(
    Object.fromEntries(
      Object.entries({ ...environment, ENCRYPTION_KEYS: givenKeys(environment) }).filter(
        ([name, value]) => value || (value === '' && mayBeEmpty.has(name)),
      ),
    ),
  );

/** What is wrong with an environment, by the variable's name. */
export const configFaults = (environment: Environment): string[] => [
  ...(parse(environment).error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? []),
  ...[formerNameFault(environment)].filter((fault) => fault !== undefined),
];

/** Warnings about settings that work but are unsafe in production. */
export function configWarnings({ isProduction, publicUrl }: Config): string[] {
  const { protocol, hostname } = new URL(publicUrl);
  if (!isProduction || protocol === 'https:') return [];
  const isLocal = /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  return [
    isLocal
      ? `PUBLIC_URL is ${publicUrl}: platforms redirect browsers to it, and the cookie of /deliveries is not marked Secure; set it to the public https address`
      : `PUBLIC_URL is ${publicUrl}: API keys and the cookie of /deliveries are sent unencrypted over http; use https`,
  ];
}

/** All that is wrong, at once. */
export const faultyConfig = (faults: string[]): Error =>
  new Error(`The configuration has faults:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);

/** Reads the environment; every fault is reported at once. */
export function readConfig(environment: Environment = process.env): Config {
  const { data: env } = parse(environment);
  const faults = configFaults(environment);
  if (!env || faults.length > 0) throw faultyConfig(faults);
  const isProduction = env.NODE_ENV === 'production';
  return {
    isProduction,
    role: env.ROLE,
    port: env.PORT,
    host: env.HOST ?? (isProduction ? '0.0.0.0' : '127.0.0.1'),
    publicUrl: env.PUBLIC_URL ?? `http://localhost:${env.PORT}`,
    hasPublicUrl: env.PUBLIC_URL !== undefined,
    dataDir: env.DATA_DIR,
    mongoUri: env.MONGODB_URI,
    redisUrl: env.REDIS_URL,
    redisPrefix: env.REDIS_PREFIX,
    encryptionKeys: env.ENCRYPTION_KEYS,
    logLevel: env.LOG_LEVEL,
    rateLimits: { small: env.RATE_LIMIT_SMALL, medium: env.RATE_LIMIT_MEDIUM, large: env.RATE_LIMIT_LARGE },
    graphql: {
      introspection: env.GRAPHQL_INTROSPECTION,
      explorer: env.GRAPHQL_EXPLORER,
      maxCost: env.GRAPHQL_MAX_COST,
    },
    subscriptionsPerKey: env.SUBSCRIPTIONS_PER_KEY,
    corsOrigins: env.CORS_ORIGINS,
    metricsToken: env.METRICS_TOKEN,
    tracedAs: env.OTEL_EXPORTER_OTLP_ENDPOINT && env.OTEL_SERVICE_NAME,
    egressProxy: env.EGRESS_PROXY,
    webhooks: {
      allowedCidrs: env.WEBHOOK_ALLOWED_CIDRS,
      requireHttps: env.WEBHOOK_REQUIRE_HTTPS,
      failureLimit: env.WEBHOOK_FAILURE_LIMIT,
      retrySchedule: env.WEBHOOK_RETRY_SCHEDULE ?? (isProduction ? productionRetries : tryingRetries),
      breakerSchedule: env.WEBHOOK_CIRCUIT_BREAKER_SCHEDULE ?? (isProduction ? productionProbes : tryingProbes),
      timeoutMs: env.WEBHOOK_TIMEOUT_SECONDS * 1000,
    },
    media: { spoolDir: env.MEDIA_SPOOL_DIR, spoolBytes: env.MEDIA_SPOOL_MB * 1_000_000, memoryBytes: 128_000_000 },
    duplications: { leaseMs: env.DUPLICATION_LEASE_SECONDS * 1000, lateMs: env.DUPLICATION_IN_FLIGHT_SECONDS * 1000 },
    orderLeaseMs: env.ORDER_LEASE_SECONDS * 1000,
    reconcileAfterMs: env.RECONCILE_AFTER_SECONDS * 1000,
    sweepIntervalMs: (env.SWEEP_INTERVAL_SECONDS ?? (isProduction ? 5 : 1)) * 1000,
    discoveryEveryMs: env.DISCOVERY_EVERY_HOURS * 3_600_000,
    reconcileIntervalMs: env.RECONCILE_INTERVAL_SECONDS * 1000,
    refreshEveryMs: env.REFRESH_EVERY_SECONDS * 1000,
    platforms: platformsConfig(env),
  };
}
