import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  text: () => Promise<string>;
  observe: (path: string, status: number, seconds: number) => void;
}

/** A value that is read when somebody asks for the metrics. */
export interface GaugeSource {
  name: string;
  help: string;
  read: () => Promise<number>;
}

/** Ids would make a time series each, so they are cut out of the path. */
const shapeOf = (path: string): string => path.replaceAll(/\/[0-9a-f]{24}(?=\/|$)/g, '/{id}').slice(0, 80);
const known = /^\/(graphql|v1\/|healthz|readyz|docs|metrics)/;

export function createMetrics(gauges: GaugeSource[] = []): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte read to the answer closed',
    labelNames: ['path', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  for (const { name, help, read } of gauges) {
    new Gauge({
      name,
      help,
      registers: [registry],
      // A store that is away must not take the other metrics with it.
      async collect() {
        this.set(await read().catch(() => Number.NaN));
      },
    });
  }
  return {
    text: () => registry.metrics(),
    observe: (path, status, seconds) => {
      const isNamed = known.test(path) && status !== 404;
      requests.observe({ path: isNamed ? shapeOf(path) : 'other', status: String(status) }, seconds);
    },
  };
}
