import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  deliveryDeadLettered,
  encryptionKeyMissing,
  eventRejected,
  firstByteSent,
  leaseTakenOver,
  platformFailed,
  requestEnded,
  statusClass,
  swept,
  tokenRefreshed,
  upstreamCalled,
  webhookSent,
} from './events.ts';

/** Values read from the databases when metrics are scraped. */
const sampled = {
  webhook_deliveries: { help: 'Unfinished deliveries, by state', labelNames: ['state'] },
  webhook_oldest_due_seconds: {
    help: 'Age of the oldest due delivery that no worker is processing',
    labelNames: [],
  },
  webhook_outbox_lag_seconds: {
    help: 'Age of the oldest outbox event not yet relayed',
    labelNames: [],
  },
  webhook_endpoints_with_held_deliveries: {
    help: 'Disabled webhooks with held deliveries',
    labelNames: [],
  },
  webhook_endpoints: {
    help: 'Webhooks by circuit breaker: closed, open (probes only), off (disabled)',
    labelNames: ['breaker'],
  },
  queue_jobs: { help: 'Jobs in a queue, by state', labelNames: ['queue', 'state'] },
  platform_api_version_days_left: {
    help: 'Days until the platform ends the configured API version; negative afterwards',
    labelNames: ['platform', 'version'],
  },
  redis_used_memory_bytes: { help: 'Memory used by Redis', labelNames: [] },
} as const;

export interface Reading {
  /** `ended` increments the count of finished deliveries. */
  name: keyof typeof sampled | 'ended';
  labels?: Record<string, string>;
  value: number;
}

/** A sampler that fails or times out is skipped. */
export type Sampler = () => Promise<Reading[]>;

export interface Metrics {
  text: () => Promise<string>;
  stop: () => void;
}

const maxAgeMs = 5_000;
const maxWaitMs = 2_000;
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** An event may have to wait while the circuit of its endpoint is open. */
const waitSeconds = [...requestSeconds, 60, 300, 3600];

let ofNode: Registry | undefined;

/** Created once: their observers last as long as the process. */
function nodeMetrics(): Registry {
  if (!ofNode) collectDefaultMetrics({ register: (ofNode = new Registry()) });
  return ofNode;
}

/** The metrics of this process. Every label has few values, whatever callers send. */
export function createMetrics(samplers: Sampler[] = []): Metrics {
  const registry = new Registry();
  const ends = listen(registry);
  const sample = createSampling(registry, samplers);
  const all = Registry.merge([nodeMetrics(), registry]);
  return {
    text: async () => {
      await sample();
      return all.metrics();
    },
    stop: () => ends.forEach((end) => end()),
  };
}

/** Subscribes the counters to events of this process; returns the unsubscribe function. */
function listen(registry: Registry): (() => void)[] {
  const registers = [registry];
  const histogram = <T extends string>(name: string, help: string, labelNames: T[]): Histogram<T> =>
    new Histogram({ name, help, labelNames, buckets: requestSeconds, registers });
  const counter = <T extends string>(name: string, help: string, labelNames: T[]): Counter<T> =>
    new Counter({ name, help, labelNames, registers });
  const requests = histogram('http_request_duration_seconds', 'From the first byte read to the response closed', [
    'api',
    'status',
  ]);
  const attempts = histogram('webhook_attempt_duration_seconds', 'Requests to receivers', ['outcome']);
  const waits = new Histogram({
    name: 'webhook_commit_to_first_byte_seconds',
    help: 'From the change to the first byte of the first request of its event',
    buckets: waitSeconds,
    registers,
  });
  const takeovers = counter(
    'webhook_lease_takeovers_total',
    'Deliveries taken over from a worker that stopped responding',
    [],
  );
  const refusals = counter('webhook_events_rejected_total', 'Events quarantined because the database rejects them', []);
  const deadLettered = counter('webhook_deliveries_dead_lettered_total', 'Deliveries that could not be processed', []);
  const calls = histogram('upstream_call_duration_seconds', 'HTTP calls to platforms', ['platform', 'outcome']);
  const faults = counter('upstream_errors_total', 'Platform errors, by kind', ['platform', 'kind']);
  const refreshes = counter('token_refreshes_total', 'Access tokens renewed', ['platform', 'outcome']);
  const keysMissing = counter(
    'encryption_key_missing_total',
    'Decryptions that failed because this process lacks the key',
    [],
  );
  const found = counter('webhook_sweeper_found_total', 'Deliveries enqueued by the sweeper', ['kind']);
  return [
    requestEnded.on(({ api, status, seconds }) => requests.observe({ api, status: statusClass(status) }, seconds)),
    webhookSent.on(({ outcome, seconds }) => attempts.observe({ outcome }, seconds)),
    firstByteSent.on(({ seconds }) => waits.observe(seconds)),
    leaseTakenOver.on(() => takeovers.inc()),
    eventRejected.on(() => refusals.inc()),
    deliveryDeadLettered.on(() => deadLettered.inc()),
    encryptionKeyMissing.on(() => keysMissing.inc()),
    upstreamCalled.on(({ platform, outcome, seconds }) => calls.observe({ platform, outcome }, seconds)),
    platformFailed.on(({ platform, fault }) => faults.inc({ platform, kind: fault })),
    tokenRefreshed.on((labels) => refreshes.inc(labels)),
    swept.on(({ due, probes }) => {
      found.inc({ kind: 'due' }, due);
      found.inc({ kind: 'probe' }, probes);
    }),
  ];
}

/** Samples the databases at most every five seconds, regardless of the number of scrapes. */
function createSampling(registry: Registry, samplers: Sampler[]): () => Promise<void> {
  const registers = [registry];
  const gauges = new Map<string, Gauge>(
    Object.entries(sampled).map(([name, { help, labelNames }]) => [
      name,
      new Gauge({ name, help, labelNames: [...labelNames], registers }),
    ]),
  );
  const ended = new Counter({
    name: 'webhook_deliveries_ended_total',
    help: 'Finished deliveries, by state, from the database: the same in every process',
    labelNames: ['state'],
    registers,
  });
  const apply = ({ name, labels = {}, value }: Reading): void => {
    if (name === 'ended') ended.inc(labels, value);
    else gauges.get(name)?.set(labels, value);
  };
  const run = async (): Promise<void> => {
    for (const gauge of gauges.values()) gauge.reset();
    const reading = samplers.map(async (sampler) => (await sampler().catch(() => [])).forEach(apply));
    await Promise.race([Promise.all(reading), new Promise((resolve) => setTimeout(resolve, maxWaitMs).unref())]);
  };
  let last: Promise<void> | undefined;
  let until = 0;
  return () => {
    if (!last || Date.now() >= until) {
      until = Date.now() + maxAgeMs;
      last = run();
    }
    return last;
  };
}
