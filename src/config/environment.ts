import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { PlatformEnvironment } from './platforms.ts';
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
  setting,
  storeAddress,
  webAddress,
} from './values.ts';

// Timers of longer than some 24 days run without a pause.
const often = { min: 0.1, max: 86_400 };

/** Every setting of the service: the README lists them with these meanings. */
export const Environment = z.object({
  NODE_ENV: setting(
    oneOf('development', 'test', 'production').default('development'),
    '`production` disables demo data and rejects unsafe settings',
  ),
  ROLE: setting(oneOf('api', 'worker', 'all').default('all'), '`api`, `worker` or `all`; `npm start` is always `all`'),
  PORT: setting(
    number({ min: 0, max: 65_535, isWhole: true }).default(4000),
    'port of the API; the sandbox uses the next one',
  ),
  HOST: setting(z.string().optional(), 'address on which the API listens', 'loopback; all addresses in production'),
  PUBLIC_URL: setting(
    baseAddress('https://api.example.com').optional(),
    'base URL for OAuth callbacks and pages; use https in production. See [docs/connect.md](docs/connect.md)',
    '`http://localhost:PORT`',
  ),
  DATA_DIR: setting(z.string().default('.data'), 'databases, keys and demo data of `npm start`'),
  START_TIMEOUT_SECONDS: setting(
    number({ min: 1, max: 3600 }).default(60),
    'how long `npm start` waits for each process that it starts',
  ),
  MONGODB_URI: setting(
    storeAddress(/^mongodb(\+srv)?:\/\//, 'mongodb://localhost:27017/social'),
    'MongoDB 6 or later for production',
    'the embedded store',
  ),
  REDIS_URL: setting(
    storeAddress(
      /^(rediss?|unix|redis\+unix):\/\/|^\/|^rediss?\+sentinel:\/\/[^/?]+\/[^/?]+/,
      'redis://localhost:6379',
    ),
    'Redis 6.2 or later, or Valkey, with AOF and `noeviction`; Sentinel and TLS: [docs/operations.md](docs/operations.md#redis)',
    'a Redis of its own',
  ),
  REDIS_REQUIRE_AOF: setting(
    flag(true),
    '`false` accepts a Redis without AOF, see [docs/operations.md](docs/operations.md#redis)',
  ),
  REDIS_PREFIX: setting(
    z
      .string()
      .regex(/^[\w-]{1,32}$/, 'must be 1 to 32 letters, digits, hyphens or underscores')
      .default('social'),
    'first part of every key in Redis',
  ),
  ENCRYPTION_KEYS: setting(
    encryptionKeys,
    'keys for stored secrets: `id:base64` of 32 random bytes each, comma-separated; the first encrypts, all decrypt. Required in production. The former name `SEALING_KEYS` still works. See [Encryption keys](docs/operations.md#encryption-keys)',
    'generated once in the data folder',
  ),
  LOG_LEVEL: setting(
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
    '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`',
    '`info`; `warn` under `npm start`',
  ),
  RATE_LIMIT_SMALL: setting(
    count(60),
    'rate limit in units per user and minute, with up to 2 connected accounts; see [docs/limits.md](docs/limits.md)',
  ),
  RATE_LIMIT_MEDIUM: setting(count(600), 'the same with up to 2 000 connected accounts'),
  RATE_LIMIT_LARGE: setting(count(1200), 'the same with more connected accounts'),
  GRAPHQL_INTROSPECTION: setting(flag(true), 'enables introspection'),
  GRAPHQL_EXPLORER: setting(flag(true), 'enables the explorer at `/graphql`'),
  GRAPHQL_MAX_COST: setting(count(5000), 'maximum cost of an operation'),
  SUBSCRIPTIONS_PER_KEY: setting(count(20), 'open GraphQL subscriptions per API key, over all processes'),
  DRAIN_SECONDS: setting(
    number({ min: 0, max: 300 }).optional(),
    'how long a stopping API process still accepts requests while `/readyz` returns 503, see [docs/operations.md](docs/operations.md#rolling-restarts)',
    '5 in production, otherwise 0',
  ),
  SHUTDOWN_SECONDS: setting(
    number({ min: 1, max: 3600 }).optional(),
    'when a stopping process cuts what still runs; at least `DRAIN_SECONDS` + `PLATFORM_TIMEOUT_SECONDS` + 5',
    '60, or that minimum if it is larger',
  ),
  KEEP_ALIVE_SECONDS: setting(
    number({ min: 1, max: 3600 }).default(75),
    'how long idle connections stay open; longer than the idle timeout of the load balancer',
  ),
  MAX_RUNNING_REQUESTS: setting(
    number({ min: 5, isWhole: true }).default(250),
    'requests that a process runs at once; more get 503, see [docs/operations.md](docs/operations.md#overload)',
  ),
  CORS_ORIGINS: setting(
    origins,
    'comma-separated origins whose browser applications may call `/v1` and `/graphql`; `*` allows all',
    'none',
  ),
  MEDIA_SPOOL_DIR: setting(
    z.string().default(join(tmpdir(), 'social-ads-media')),
    'directory for videos during their upload to a platform; use a disk, not a RAM disk',
    "`social-ads-media` in the system's temporary directory",
  ),
  MEDIA_SPOOL_MB: setting(
    number({ min: 500, isWhole: true }).default(2_000),
    'the most that a process stores in `MEDIA_SPOOL_DIR` at once, at least 500',
  ),
  EGRESS_PROXY: setting(
    webAddress('http://proxy:3128').optional(),
    'HTTP proxy for requests to webhook endpoints, see [Allowed addresses](docs/webhooks.md#allowed-addresses)',
    'none',
  ),
  WEBHOOK_ALLOWED_CIDRS: setting(
    ranges,
    'ranges of your own network that webhooks may use, see [Allowed addresses](docs/webhooks.md#allowed-addresses)',
    'none',
  ),
  WEBHOOK_REQUIRE_HTTPS: setting(flag(false), '`true` rejects http, also for existing webhooks'),
  WEBHOOK_FAILURE_LIMIT: setting(count(10), 'consecutive counted failures that disable a webhook'),
  WEBHOOK_RETRY_SCHEDULE: setting(
    seconds.optional(),
    'waits between attempts in seconds, comma-separated, see [docs/webhooks.md](docs/webhooks.md#settings)',
    'about three days in production',
  ),
  WEBHOOK_CIRCUIT_BREAKER_SCHEDULE: setting(
    secondsOrNone.optional(),
    'waits between probes in seconds, comma-separated; `none` or an empty value disables the circuit breaker',
    'about eight hours in production',
  ),
  WEBHOOK_RETENTION_DAYS: setting(
    number({ min: 5, max: 365, isWhole: true }).default(30),
    'how long ended deliveries stay in the log, 5 to 365; events are kept five days longer',
  ),
  FIGURES_RETENTION_MONTHS: setting(
    number({ min: 1, max: 36, isWhole: true }).default(25),
    'how many months of daily figures are stored besides the current month, 1 to 36; a change applies to a month when it is next read',
  ),
  ACTIVITY_RETENTION_DAYS: setting(
    number({ min: 30, max: 3650, isWhole: true }).default(400),
    'how long entries of the activity trail and the history of ads are kept, 30 to 3650',
  ),
  WEBHOOK_TIMEOUT_SECONDS: setting(number({ min: 0.1, max: 60 }).default(15), 'time limit of a request, 0.1 to 60'),
  METRICS_TOKEN: setting(
    z.string().min(16, 'must have at least 16 characters').optional(),
    'bearer token for `/metrics`, at least 16 characters',
    'none: `/metrics` is closed in production and local-only otherwise',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    webAddress('http://collector:4318').optional(),
    'where to send traces, see [docs/operations.md](docs/operations.md#traces)',
    'none',
  ),
  ORDER_LEASE_SECONDS: setting(
    number({ min: 0.1, max: 3600 }).default(180),
    'lease of an ad order: another process takes over when it expires',
  ),
  RECONCILE_AFTER_SECONDS: setting(
    number({ min: 0, max: 604_800 }).default(120),
    'when the service reconciles an ad of unknown outcome with the platform',
  ),
  SWEEP_INTERVAL_SECONDS: setting(number(often).optional(), 'how often the sweeper runs', '5; 1 outside production'),
  RECONCILE_INTERVAL_SECONDS: setting(
    number(often).default(15),
    'how often the service checks for ads of unknown outcome',
  ),
  REFRESH_EVERY_SECONDS: setting(number(often).default(30), 'how often tokens close to expiry are refreshed'),
  DUPLICATION_LEASE_SECONDS: setting(
    number({ min: 1, max: 3600 }).default(90),
    'lease of a campaign copy: another worker takes over when it expires',
  ),
  DUPLICATION_IN_FLIGHT_SECONDS: setting(
    number({ min: 0, max: 3600 }).default(60),
    'how long an unanswered write of a copy counts as in flight before it can be sent again',
  ),
  DISCOVERY_EVERY_HOURS: setting(
    number({ min: 0, max: 168 }).default(6),
    'how often every ads account is read; 0 reads only on request',
  ),
  ...PlatformEnvironment.shape,
});
