/** A metric of this service. The table in docs/operations.md and the Grafana dashboard are generated from these. */
export interface Metric {
  type: 'counter' | 'histogram' | 'gauge';
  /** Labels with their values; undefined if only values that occurred are shown. */
  labels?: Record<string, readonly string[] | undefined>;
  help: string;
  /** Read from the stores: the same in every process. */
  isShared?: boolean;
  /** Upper bounds of a histogram, in seconds. */
  buckets?: number[];
}

const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** An event may have to wait while the circuit of its endpoint is open. */
const waitSeconds = [...requestSeconds, 60, 300, 3600];
const adPlatforms = ['A', 'B', 'C', 'D', 'E', 'F'];
export const accountPlatforms = [
  'network-a',
  'network-b',
  'search-display',
  'pin-board',
  'network-c',
  'microblog',
  'professional',
  'ephemeral-messaging',
  'listing',
];
/** How a platform's response is classified. */
export const faults = [
  'auth_expired',
  'rejected',
  'rate_limited',
  'unavailable',
  'unknown_outcome',
  'not_found',
  'unsupported',
] as const;

const histogram = (help: string, labels: Metric['labels'], buckets = requestSeconds) =>
  ({ type: 'histogram', help, labels, buckets }) as const;
const counter = (help: string, labels?: Metric['labels']) => ({ type: 'counter', help, labels }) as const;
const shared = (help: string, labels?: Metric['labels']) => ({ type: 'gauge', help, labels, isShared: true }) as const;

export const metricTable = {
  http_request_duration_seconds: histogram('requests to this process', {
    api: ['graphql', 'rest', 'pages', 'operations', 'other'],
    status: undefined,
  }),
  http_requests_running: { type: 'gauge', help: 'requests that are being processed, without event streams' },
  http_requests_shed_total: counter('requests refused with 503 because `MAX_RUNNING_REQUESTS` were being processed'),
  log_lines_dropped_total: counter('log lines dropped because nothing reads the log'),
  upstream_call_duration_seconds: histogram(
    'HTTP calls to platforms, each attempt; `outcome` is a status class, `unavailable` or `unknown_outcome`',
    {
      platform: adPlatforms,
      outcome: undefined,
    },
  ),
  upstream_errors_total: counter('failed platform calls, as reported to callers', {
    platform: adPlatforms,
    kind: faults,
  }),
  token_refreshes_total: counter('refreshes of access tokens', {
    platform: accountPlatforms,
    outcome: ['renewed', 'refused', 'failed'],
  }),
  orders_reconciled_total: counter(
    'inspections of what has an unknown outcome: `completed`, `never_created`, `missed` once, `undecided` or `failed`',
    {
      kind: ['ad', 'listing_edit', 'removal'],
      result: ['completed', 'never_created', 'missed', 'undecided', 'failed'],
    },
  ),
  duplications_ended_total: counter('campaign copies that ended', { status: ['completed', 'failed'] }),
  discoveries_ended_total: counter('discoveries of accounts that ended', { state: ['completed', 'failed'] }),
  figure_reads_total: counter('complete reads of figures at a platform', { platform: adPlatforms }),
  figure_rows_total: counter('rows of figures read at a platform', { platform: adPlatforms }),
  figures_age_seconds: histogram(
    'age of the oldest read that returned figures rest on',
    undefined,
    [60, 900, 3600, 21_600, 86_400, 604_800],
  ),
  figure_jobs_ended_total: counter('background reads of figures that ended', { state: ['completed', 'failed'] }),
  webhook_attempt_duration_seconds: histogram(
    'requests to webhook endpoints; `outcome` is a status class or error class',
    {
      outcome: undefined,
    },
  ),
  webhook_commit_to_first_byte_seconds: histogram(
    'from the commit of a change to the first byte of its first request, including waits for an open circuit breaker',
    undefined,
    waitSeconds,
  ),
  webhook_events_rejected_total: counter(
    'events that MongoDB rejected for half a minute: failed in the delivery log, their content kept in `deadLetterEvents` of the document that emitted them',
  ),
  webhook_deliveries_dead_lettered_total: counter(
    'deliveries that could not be processed for an hour because of an internal error: failed with class `internal`; the log has the cause',
  ),
  encryption_key_missing_total: counter(
    'decryptions that failed because this process lacks the key; the work is deferred',
  ),
  webhook_lease_takeovers_total: counter('deliveries taken over from a dead or blocked worker (lease expired)'),
  webhook_sweeper_found_total: counter(
    'endpoints with overdue deliveries, and probes, that the sweeper queued; `due` stays flat in normal operation',
    {
      kind: ['due', 'probe'],
    },
  ),
  webhook_deliveries_ended_total: {
    ...counter('deliveries in a final state', { state: ['delivered', 'failed', 'skipped'] }),
    isShared: true,
  },
  webhook_deliveries: shared('deliveries in other states, counted up to 100 000', { state: undefined }),
  webhook_oldest_due_seconds: shared('age of the oldest due delivery that no worker processes'),
  webhook_outbox_lag_seconds: shared('age of the oldest event that is not relayed yet'),
  webhook_endpoints: shared('webhooks by state of the circuit breaker; `off` is disabled', {
    breaker: ['closed', 'open', 'off'],
  }),
  webhook_endpoints_with_held_deliveries: shared('webhooks with held deliveries'),
  orders_open: shared('ad orders without a known outcome, at most 10000 counted', {
    status: ['creating', 'unconfirmed'],
  }),
  orders_oldest_seconds: shared('age of the oldest ad order without a known outcome', {
    status: ['creating', 'unconfirmed'],
  }),
  removals_open: shared('removals without a known outcome, at most 10000 counted'),
  removals_oldest_seconds: shared('age of the oldest removal without a known outcome'),
  duplications_open: shared('campaign copies that have not ended, at most 10000 counted'),
  duplications_oldest_due_seconds: shared('how long the campaign copy that waits longest has been due'),
  discoveries_open: shared('discoveries that wait or run, at most 10000 counted', { state: ['waiting', 'running'] }),
  figure_jobs_open: shared('background reads of figures that have not ended, at most 10000 counted'),
  figure_jobs_oldest_due_seconds: shared('how long the background read of figures that waits longest has been due'),
  accounts_to_reconnect: shared('connected accounts whose owner must reconnect them, at most 10000 counted'),
  platform_api_version_days_left: {
    type: 'gauge',
    help: 'days until the platform ends the configured API version; negative afterwards',
    labels: { platform: undefined, version: undefined },
  },
  queue_jobs: shared('jobs in a queue', { queue: undefined, state: undefined }),
  redis_used_memory_bytes: shared('memory used by Redis'),
} satisfies Record<string, Metric>;

export type MetricName = keyof typeof metricTable;
