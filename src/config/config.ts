import type { z } from 'zod';
import { Environment } from './environment.ts';
import { platformsConfig } from './platforms.ts';
import { defaultRetention, type Retention } from '../lib/retention.ts';
import type { PlatformsConfig } from '../platforms/registry.ts';
import type { DuplicationTimes } from '../services/context.ts';
import type { DeliveryTimes } from '../services/webhooks/schedule.ts';

/** The retry schedule of the Standard Webhooks example, and probes over about eight hours. */
const productionRetries = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
const productionProbes = [30, 120, 600, 1800, 3600, 7200, 14_400];
/** Short enough to watch. */
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
  /** A Redis without AOF is a fault. */
  requireAof: boolean;
  redisPrefix: string;
  encryptionKeys: string[];
  logLevel: string;
  rateLimits: { small: number; medium: number; large: number };
  graphql: { introspection: boolean; explorer: boolean; maxCost: number };
  subscriptionsPerKey: number;
  /** After the stop signal: how long requests are still accepted, and when the whole process must have stopped. */
  shutdown: { drainMs: number; shutdownMs: number };
  keepAliveMs: number;
  maxRunningRequests: number;
  /** Origins whose browser applications may call both APIs. */
  corsOrigins: string[];
  metricsToken?: string;
  /** Traces are expected: warn if no OpenTelemetry SDK is registered. */
  isTraced: boolean;
  /** An HTTP proxy that everything to callers' addresses goes through. */
  egressProxy?: string;
  webhooks: DeliveryTimes & { allowedCidrs: string[]; requireHttps: boolean };
  /** Callers' media on their way to a platform: large files on disk, small ones in memory. */
  media: { spoolDir: string; spoolBytes: number; memoryBytes: number };
  retention: Retention;
  duplications: DuplicationTimes;
  orderLeaseMs: number;
  reconcileAfterMs: number;
  reconcileIntervalMs: number;
  sweepIntervalMs: number;
  refreshEveryMs: number;
  discoveryEveryMs: number;
  platforms: PlatformsConfig;
}

type Variables = NodeJS.ProcessEnv;

/** ENCRYPTION_KEYS, or their former name SEALING_KEYS. */
export const givenKeys = (environment: Variables): string | undefined =>
  environment['ENCRYPTION_KEYS'] || environment['SEALING_KEYS'] || undefined;

/** The error if both names are set to different values. */
export function formerNameFault({ ENCRYPTION_KEYS, SEALING_KEYS }: Variables): string | undefined {
  if (!ENCRYPTION_KEYS || !SEALING_KEYS || ENCRYPTION_KEYS === SEALING_KEYS) return undefined;
  return 'SEALING_KEYS is the former name of ENCRYPTION_KEYS, and both are set to different values; keep ENCRYPTION_KEYS only';
}

/** How long records are kept, for commands that need no other setting. */
export const givenRetention = (environment: Variables): Retention => ({
  ...defaultRetention,
  deliveryDays: daysOf(environment, 'WEBHOOK_RETENTION_DAYS'),
  activityDays: daysOf(environment, 'ACTIVITY_RETENTION_DAYS'),
});

function daysOf(environment: Variables, name: 'ACTIVITY_RETENTION_DAYS' | 'WEBHOOK_RETENTION_DAYS'): number {
  const parsed = Environment.shape[name].safeParse(environment[name] || undefined);
  if (!parsed.success) throw faultyConfig([`${name} ${parsed.error.issues[0]?.message}`]);
  return parsed.data;
}

/** Settings that may be empty. For all others an empty value means "not set", as in compose files. */
const mayBeEmpty = new Set(['WEBHOOK_CIRCUIT_BREAKER_SCHEDULE']);

const parse = (environment: Variables) =>
  Environment.safeParse(
    Object.fromEntries(
      Object.entries({ ...environment, ENCRYPTION_KEYS: givenKeys(environment) }).filter(
        ([name, value]) => value || (value === '' && mayBeEmpty.has(name)),
      ),
    ),
  );

/** A request that waits for a platform must be able to end, and the stores must be closed after it. */
const leastShutdown = (env: z.output<typeof Environment>): number =>
  (env.DRAIN_SECONDS ?? 5) + env.PLATFORM_TIMEOUT_SECONDS + 5;

function shutdownFaults(env: z.output<typeof Environment> | undefined): string[] {
  if (env?.SHUTDOWN_SECONDS === undefined || env.SHUTDOWN_SECONDS >= leastShutdown(env)) return [];
  return [
    `SHUTDOWN_SECONDS must be at least ${leastShutdown(env)}: DRAIN_SECONDS, PLATFORM_TIMEOUT_SECONDS and 5 s to close the stores`,
  ];
}

/** The errors of an environment, by variable name. */
export function configFaults(environment: Variables, { data, error } = parse(environment)): string[] {
  return [
    ...(error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? []),
    ...shutdownFaults(data),
    ...[formerNameFault(environment)].filter((fault) => fault !== undefined),
  ];
}

/** Warnings about settings that work but are unsafe in production. */
export function configWarnings({ isProduction, publicUrl, metricsToken }: Config): string[] {
  if (!isProduction) return [];
  return [...(metricsToken ? [] : ['METRICS_TOKEN is not set: /metrics is closed']), ...publicUrlWarnings(publicUrl)];
}

function publicUrlWarnings(publicUrl: string): string[] {
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol === 'https:') return [];
  const isLocal = /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  return [
    isLocal
      ? `PUBLIC_URL is ${publicUrl}: platforms redirect browsers to it, and the cookies of /ads and /deliveries are not marked Secure; set it to the public https address`
      : `PUBLIC_URL is ${publicUrl}: API keys and the cookies of /ads and /deliveries are sent unencrypted over http; use https`,
  ];
}

/** What a failed start is reported with, also if the configuration is invalid. */
export const startMode = ({ NODE_ENV, ROLE }: Variables = process.env) => ({
  isProduction: NODE_ENV === 'production',
  role: ROLE || 'all',
});

/** All errors together. */
export const faultyConfig = (faults: string[]): Error =>
  new Error(`The configuration is invalid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);

/** Reads the environment and reports every error at once. */
export function readConfig(environment: Variables = process.env): Config {
  const parsed = parse(environment);
  const faults = configFaults(environment, parsed);
  const { data: env } = parsed;
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
    requireAof: env.REDIS_REQUIRE_AOF,
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
    shutdown: {
      drainMs: env.ROLE === 'worker' ? 0 : (env.DRAIN_SECONDS ?? (isProduction ? 5 : 0)) * 1000,
      shutdownMs: (env.SHUTDOWN_SECONDS ?? Math.max(60, leastShutdown(env))) * 1000,
    },
    maxRunningRequests: env.MAX_RUNNING_REQUESTS,
    keepAliveMs: env.KEEP_ALIVE_SECONDS * 1000,
    corsOrigins: env.CORS_ORIGINS,
    metricsToken: env.METRICS_TOKEN,
    isTraced: env.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
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
    retention: {
      deliveryDays: env.WEBHOOK_RETENTION_DAYS,
      activityDays: env.ACTIVITY_RETENTION_DAYS,
      figureMonths: env.FIGURES_RETENTION_MONTHS,
      figureMonthsByPlatform: { F: env.PLATFORM_F_FIGURES_RETENTION_MONTHS },
    },
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
