import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { sha256 } from '../lib/hash.ts';
import type { Log } from './log.ts';
import { requestEnded, upstreamCalled, webhookSent } from './events.ts';

export interface Tracing {
  /** Runs a request so that the calls it makes are traced under it. */
  within: <T>(requestId: string, run: () => T) => T;
  stop: () => Promise<void>;
}

export interface TracingOptions {
  serviceName: string;
  log: Log;
  /** Loads a package; tests replace it. */
  load?: (name: string) => Promise<unknown>;
}

/** The parts used of optional packages, which are no dependency. */
interface Packages {
  api: {
    ROOT_CONTEXT: object;
    trace: { setSpanContext: (context: object, span: object) => object };
  };
  base: {
    BasicTracerProvider: new (options: object) => Provider;
    BatchSpanProcessor: new (exporter: object) => object;
  };
  exporter: { OTLPTraceExporter: new () => object };
  resources: { resourceFromAttributes: (attributes: object) => object };
}

interface Provider {
  getTracer: (name: string) => { startSpan: (name: string, options: object, context: object) => Span };
  shutdown: () => Promise<void>;
}

interface Span {
  setStatus: (status: { code: number }) => void;
  end: (at: number) => void;
}

interface Ids {
  traceId: string;
  spanId?: string;
}

interface SpanData extends Ids {
  name: string;
  seconds: number;
  isFault: boolean;
  attributes: Record<string, string | number>;
  parent?: Ids;
}

const client = 2;
const server = 1;
const error = 2;
const sampled = 1;

/**
 * A request's trace id derives from its id, an event's from the event id: attempts of all processes share one trace.
 */
const idsOf = (text: string): Required<Ids> => {
  const hash = sha256(text);
  return { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48) };
};

/** Sends spans to a collector (OTEL_EXPORTER_OTLP_ENDPOINT); does nothing without the optional packages. */
export async function startTracing(options: TracingOptions): Promise<Tracing | undefined> {
  const { log, load = (name) => import(name) } = options;
  let packages: Packages;
  try {
    packages = await loadPackages(load);
  } catch (cause) {
    log.warn({ err: cause }, 'tracing disabled: OpenTelemetry packages not installed (see docs/operations.md)');
    return undefined;
  }
  const { report, stop } = createSpanExporter(packages, options.serviceName);
  const requests = new AsyncLocalStorage<Required<Ids>>();
  const ends = listen(report, () => requests.getStore());
  return {
    within: (requestId, run) => requests.run(idsOf(requestId), run),
    stop: async () => {
      ends.forEach((end) => end());
      await stop().catch((cause: unknown) => log.warn({ err: cause }, 'could not send the last traces'));
    },
  };
}

async function loadPackages(load: (name: string) => Promise<unknown>): Promise<Packages> {
  const names = ['api', 'sdk-trace-base', 'exporter-trace-otlp-http', 'resources'];
  const [api, base, exporter, resources] = await Promise.all(names.map((name) => load(`@opentelemetry/${name}`)));
  return { api, base, exporter, resources } as Packages;
}

/** Spans are reported after they end, so their ids must be set explicitly. */
function createSpanExporter({ api, base, exporter, resources }: Packages, serviceName: string): SpanExporter {
  let next: Ids | undefined;
  const random = (bytes: number): string => randomBytes(bytes).toString('hex');
  const provider = new base.BasicTracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': serviceName }),
    spanProcessors: [new base.BatchSpanProcessor(new exporter.OTLPTraceExporter())],
    idGenerator: {
      generateTraceId: () => next?.traceId ?? random(16),
      generateSpanId: () => next?.spanId ?? random(8),
    },
  });
  const tracer = provider.getTracer(serviceName);
  return {
    report({ name, seconds, isFault, attributes, parent, ...ids }) {
      next = ids;
      const end = Date.now();
      const context = parent
        ? api.trace.setSpanContext(api.ROOT_CONTEXT, { ...parent, traceFlags: sampled })
        : api.ROOT_CONTEXT;
      const kind = ids.spanId ? server : client;
      const span = tracer.startSpan(name, { kind, attributes, startTime: end - seconds * 1000 }, context);
      if (isFault) span.setStatus({ code: error });
      span.end(end);
      next = undefined;
    },
    stop: () => provider.shutdown(),
  };
}

interface SpanExporter {
  report: (span: SpanData) => void;
  stop: () => Promise<void>;
}

function listen(report: SpanExporter['report'], current: () => Required<Ids> | undefined): (() => void)[] {
  return [
    requestEnded.on(({ api, method, status, seconds, requestId }) => {
      const attributes = {
        'http.request.method': method,
        'http.response.status_code': status,
        'request.id': requestId,
      };
      report({ name: `${method} ${api}`, seconds, isFault: status >= 500, attributes, ...idsOf(requestId) });
    }),
    upstreamCalled.on(({ platform, method, outcome, seconds }) => {
      const parent = current();
      const attributes = { 'http.request.method': method, platform, outcome };
      const { traceId } = parent ?? { traceId: randomBytes(16).toString('hex') };
      report({
        name: `${method} platform ${platform}`,
        seconds,
        isFault: !/^[23]xx$/.test(outcome),
        attributes,
        parent,
        traceId,
      });
    }),
    webhookSent.on(({ eventId, outcome, seconds }) => {
      const attributes = { 'webhook.event_id': eventId, outcome };
      const { traceId } = idsOf(eventId);
      report({ name: 'webhook attempt', seconds, isFault: outcome !== '2xx', attributes, traceId });
    }),
  ];
}
