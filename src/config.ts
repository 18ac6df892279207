import { z } from 'zod';
import { PlatformEnvironment, platformsConfig } from './config-platforms.ts';
import type { PlatformsConfig } from './platforms/registry.ts';
import type { DeliveryTimes } from './services/webhooks/schedule.ts';

const count = (fallback: number) => z.coerce.number().int().min(1).default(fallback);
const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default(fallback ? 'true' : 'false')
    .transform((text) => text === 'true');
const list = (like: string) =>
  z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((entry) => entry.trim())
        .filter(Boolean),
    )
    .refine((ranges) => ranges.every((range) => /^[0-9a-f.:]+\/\d+$/i.test(range)), `must be ${like}`);
const seconds = z
  .string()
  .regex(/^(\d+(\.\d+)?(,\s*\d+(\.\d+)?)*)?$|^none$/, 'must be seconds separated by commas, or none')
  .transform((text) => (text === 'none' ? [] : text.split(',').map(Number)));
const address = (protocol: RegExp, like: string) =>
  z.string({ error: `is required, for instance ${like}` }).regex(protocol, `must look like ${like}`);

const Environment = z.object({
  NODE_ENV: z.string().default('development'),
  ROLE: z.enum(['api', 'worker', 'all'], { error: 'must be api, worker or all' }).default('all'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(4000),
  HOST: z.string().optional(),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  DATA_DIR: z.string().default('.data'),
  MONGODB_URI: address(/^mongodb(\+srv)?:\/\//, 'mongodb://localhost:27017/social'),
  REDIS_URL: address(/^(rediss?|unix|redis\+unix):\/\/|^\//, 'redis://localhost:6379'),
  REDIS_PREFIX: z
    .string()
    .regex(/^[\w-]{1,32}$/)
    .default('social'),
  SEALING_KEYS: z.string({ error: 'is required: id:base64 of 32 random bytes, several separated by commas' }),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  RATE_LIMIT_SMALL: count(60),
  RATE_LIMIT_MEDIUM: count(600),
  RATE_LIMIT_LARGE: count(1200),
  GRAPHQL_INTROSPECTION: flag(true),
  GRAPHQL_MAX_COST: count(5000),
  EGRESS_PROXY: z.url({ protocol: /^https?$/, error: 'must look like http://proxy:3128' }).optional(),
  WEBHOOK_ALLOWED_CIDRS: list('comma-separated ranges such as 10.0.0.0/8'),
  WEBHOOK_FAILURE_LIMIT: count(10),
  WEBHOOK_RETRY_STEPS: seconds.optional(),
  WEBHOOK_BREAKER_STEPS: seconds.optional(),
  WEBHOOK_TIMEOUT_SECONDS: z.coerce.number().min(0.1).max(60).default(15),
  METRICS_TOKEN: z.string().min(16).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_SERVICE_NAME: z.string().default('social-ads-api'),
  ORDER_LEASE_SECONDS: z.coerce.number().min(0.1).default(180),
  SETTLE_AFTER_SECONDS: z.coerce.number().min(0).default(120),
  SWEEP_EVERY_SECONDS: z.coerce.number().min(0.1).optional(),
  SETTLE_EVERY_SECONDS: z.coerce.number().min(0.1).default(15),
  REFRESH_EVERY_SECONDS: z.coerce.number().min(0.1).default(30),
  DISCOVERY_EVERY_HOURS: z.coerce.number().min(0).max(168).default(6),
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
  dataDir: string;
  mongoUri: string;
  redisUrl: string;
  redisPrefix: string;
  sealingKeys: string[];
  logLevel: string;
  rateLimits: { small: number; medium: number; large: number };
  graphql: { introspection: boolean; maxCost: number };
  metricsToken?: string;
  /** Set only where traces are wanted; the exporter reads the address for itself. */
  tracedAs?: string;
  /** An HTTP proxy that everything to callers' addresses goes through. */
  egressProxy?: string;
  webhooks: DeliveryTimes & { allowedCidrs: string[] };
  orderLeaseMs: number;
  settleAfterMs: number;
  settleEveryMs: number;
  sweepEveryMs: number;
  refreshEveryMs: number;
  discoveryEveryMs: number;
  platforms: PlatformsConfig;
}

/** Reads the environment; every fault is reported at once, by the variable's name. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  // Compose files write `NAME=` for "not set".
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `  ${issue.path.join('.')} ${issue.message}`);
    throw new Error(`The configuration has faults:\n${faults.join('\n')}`);
  }
  const env = parsed.data;
  const isProduction = env.NODE_ENV === 'production';
  return {
    isProduction,
    role: env.ROLE,
    port: env.PORT,
    host: env.HOST ?? (isProduction ? '0.0.0.0' : '127.0.0.1'),
    publicUrl: env.PUBLIC_URL ?? `http://localhost:${env.PORT}`,
    dataDir: env.DATA_DIR,
    mongoUri: env.MONGODB_URI,
    redisUrl: env.REDIS_URL,
    redisPrefix: env.REDIS_PREFIX,
    sealingKeys: env.SEALING_KEYS.split(',').map((key) => key.trim()),
    logLevel: env.LOG_LEVEL,
    rateLimits: { small: env.RATE_LIMIT_SMALL, medium: env.RATE_LIMIT_MEDIUM, large: env.RATE_LIMIT_LARGE },
    graphql: { introspection: env.GRAPHQL_INTROSPECTION, maxCost: env.GRAPHQL_MAX_COST },
    metricsToken: env.METRICS_TOKEN,
    tracedAs: env.OTEL_EXPORTER_OTLP_ENDPOINT && env.OTEL_SERVICE_NAME,
    egressProxy: env.EGRESS_PROXY,
    webhooks: {
      allowedCidrs: env.WEBHOOK_ALLOWED_CIDRS,
      failureLimit: env.WEBHOOK_FAILURE_LIMIT,
      retrySteps: env.WEBHOOK_RETRY_STEPS ?? (isProduction ? productionRetries : tryingRetries),
      breakerSteps: env.WEBHOOK_BREAKER_STEPS ?? (isProduction ? productionProbes : tryingProbes),
      timeoutMs: env.WEBHOOK_TIMEOUT_SECONDS * 1000,
    },
    orderLeaseMs: env.ORDER_LEASE_SECONDS * 1000,
    settleAfterMs: env.SETTLE_AFTER_SECONDS * 1000,
    sweepEveryMs: (env.SWEEP_EVERY_SECONDS ?? (isProduction ? 5 : 1)) * 1000,
    discoveryEveryMs: env.DISCOVERY_EVERY_HOURS * 3_600_000,
    settleEveryMs: env.SETTLE_EVERY_SECONDS * 1000,
    refreshEveryMs: env.REFRESH_EVERY_SECONDS * 1000,
    platforms: platformsConfig(env),
  };
}
