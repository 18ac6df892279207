import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { atMostEvery } from '../lib/throttle.ts';
import { within } from '../lib/timeout.ts';
import {
  deliveryDeadLettered,
  discoveryEnded,
  duplicationEnded,
  encryptionKeyMissing,
  eventRejected,
  figureJobEnded,
  figuresRead,
  figuresServed,
  firstByteSent,
  leaseTakenOver,
  logLinesDropped,
  platformFailed,
  reconciled,
  requestEnded,
  requestShed,
  statusClass,
  swept,
  tokenRefreshed,
  upstreamCalled,
  webhookSent,
} from './events.ts';
import type { Log } from './log.ts';
import { metricTable, type Metric, type MetricName } from './metric-table.ts';

export interface Reading {
  /** A gauge is set; a counter is incremented. */
  name: MetricName;
  labels?: Record<string, string>;
  value: number;
}

/** A sampler that fails or times out is skipped, and a failure is logged. */
export type Sampler = () => Promise<Reading[]>;

export interface Metrics {
  text: () => Promise<string>;
  stop: () => void;
}

const maxAgeMs = 5_000;
const maxWaitMs = 2_000;
const failureLogMs = 60_000;
let ofNode: Registry | undefined;

/** Created once: their observers last as long as the process. */
function nodeMetrics(): Registry {
  if (!ofNode) collectDefaultMetrics({ register: (ofNode = new Registry()) });
  return ofNode;
}

/** The metrics of this process. Every label has few values, whatever callers send. */
export function createMetrics(samplers: Sampler[], log: Log): Metrics {
  const registry = new Registry();
  const collectors = createCollectors(registry);
  const ends = listen(collectors);
  const sample = createSampling(collectors, samplers, log);
  const all = Registry.merge([nodeMetrics(), registry]);
  return {
    text: async () => {
      await sample();
      return all.metrics();
    },
    stop: () => ends.forEach((end) => end()),
  };
}

interface Collectors {
  /** Adds to a counter or observes a duration. */
  record: (name: MetricName, value: number, labels?: Record<string, string>) => void;
  /** Replaces the values of all gauges. */
  setGauges: (readings: Reading[]) => void;
}

function createCollectors(registry: Registry): Collectors {
  const entries = Object.entries(metricTable as Record<MetricName, Metric>) as [MetricName, Metric][];
  const collectors = new Map(entries.map(([name, metric]) => [name, createCollector(name, metric, registry)]));
  const gauges = entries.flatMap(([name, { labels }]) => {
    const gauge = collectors.get(name);
    return gauge instanceof Gauge ? [{ gauge, hasLabels: labels !== undefined }] : [];
  });
  return {
    record(name, value, labels = {}) {
      const collector = collectors.get(name);
      if (collector instanceof Counter) collector.inc(labels, value);
      else if (collector instanceof Histogram) collector.observe(labels, value);
    },
    setGauges(readings) {
      // A value that cannot be read is absent: a reset alone leaves 0 in a gauge without labels.
      for (const { gauge, hasLabels } of gauges) {
        gauge.reset();
        if (!hasLabels) gauge.remove();
      }
      for (const { name, value, labels = {} } of readings) {
        const collector = collectors.get(name);
        if (collector instanceof Gauge) collector.set(labels, value);
      }
    },
  };
}

function createCollector(name: string, { type, labels = {}, help, buckets }: Metric, registry: Registry) {
  const options = { name, help, labelNames: Object.keys(labels), registers: [registry] };
  if (type === 'gauge') return new Gauge(options);
  const values = everyCombination(labels);
  if (type === 'histogram') return new Histogram({ ...options, ...(buckets && { buckets }) });
  const counter = new Counter(options);
  // `increase()` needs a zero before the first event.
  for (const one of values) counter.inc(one, 0);
  return counter;
}

/** All label sets of a metric; none if the values of a label are unknown. */
function everyCombination(labels: NonNullable<Metric['labels']>): Record<string, string>[] {
  let sets: Record<string, string>[] = [{}];
  for (const [name, values = []] of Object.entries(labels))
    sets = sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value })));
  return sets;
}

/** Subscribes the metrics to events of this process; returns the unsubscribe functions. */
const listen = ({ record }: Collectors): (() => void)[] => [
  requestEnded.on(({ api, status, seconds }) =>
    record('http_request_duration_seconds', seconds, { api, status: statusClass(status) }),
  ),
  requestShed.on(() => record('http_requests_shed_total', 1)),
  logLinesDropped.on(() => record('log_lines_dropped_total', 1)),
  webhookSent.on(({ outcome, seconds }) => record('webhook_attempt_duration_seconds', seconds, { outcome })),
  firstByteSent.on(({ seconds }) => record('webhook_commit_to_first_byte_seconds', seconds)),
  leaseTakenOver.on(() => record('webhook_lease_takeovers_total', 1)),
  eventRejected.on(() => record('webhook_events_rejected_total', 1)),
  deliveryDeadLettered.on(() => record('webhook_deliveries_dead_lettered_total', 1)),
  encryptionKeyMissing.on(() => record('encryption_key_missing_total', 1)),
  upstreamCalled.on(({ platform, outcome, seconds }) =>
    record('upstream_call_duration_seconds', seconds, { platform, outcome }),
  ),
  platformFailed.on(({ platform, fault }) => record('upstream_errors_total', 1, { platform, kind: fault })),
  tokenRefreshed.on((labels) => record('token_refreshes_total', 1, labels)),
  reconciled.on((labels) => record('orders_reconciled_total', 1, labels)),
  duplicationEnded.on((labels) => record('duplications_ended_total', 1, labels)),
  discoveryEnded.on((labels) => record('discoveries_ended_total', 1, labels)),
  figuresRead.on(({ platform, rows }) => {
    record('figure_reads_total', 1, { platform });
    record('figure_rows_total', rows, { platform });
  }),
  figuresServed.on(({ seconds }) => record('figures_age_seconds', seconds)),
  figureJobEnded.on((labels) => record('figure_jobs_ended_total', 1, labels)),
  swept.on(({ due, probes }) => {
    record('webhook_sweeper_found_total', due, { kind: 'due' });
    record('webhook_sweeper_found_total', probes, { kind: 'probe' });
  }),
];

/**
 * Samples the databases at most every five seconds, regardless of the number of scrapes. The gauges change at one moment, so that a
 * scrape that overlaps with the next sampling misses none.
 */
function createSampling({ record, setGauges }: Collectors, samplers: Sampler[], log: Log): () => Promise<void> {
  const logFailure = atMostEvery(failureLogMs, (err: unknown) => log.warn({ err }, 'metrics could not be read'));
  /** A sampler does not run twice at once: what it counts since its last run would count twice. */
  const reads = samplers.map((sampler) => {
    let reading: Promise<Reading[]> | undefined;
    const read = async (): Promise<Reading[]> => {
      try {
        const readings = await sampler();
        // Also if they are late: a counter would lack them for ever.
        for (const { name, value, labels } of readings) record(name, value, labels);
        return readings;
      } catch (error) {
        logFailure(error);
        return [];
      }
    };
    return () => (reading ??= read().finally(() => (reading = undefined)));
  });
  const run = async (): Promise<void> => {
    const readings = await Promise.all(reads.map((read) => within(read(), maxWaitMs)));
    setGauges(readings.flatMap((found) => found ?? []));
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
