import type { IncomingHttpHeaders } from 'node:http';
import {
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Link,
  type Tracer,
} from '@opentelemetry/api';
import { sha256 } from '../lib/hash.ts';
import { upstreamCalled, webhookSent } from './events.ts';
import type { Log } from './log.ts';

/** Spans cost nothing and go nowhere unless an OpenTelemetry SDK is registered (see docs/operations.md). */
const tracer = (): Tracer => trace.getTracer('social-ads-api');

export interface RequestSpan {
  /** Runs the request; the calls it makes become children of its span. */
  within: <T>(run: () => T) => T;
  end: (response: { status: number; requestId: string }) => void;
}

/** Known when the service starts; SDKs are registered before. */
let isTraced = false;

const untraced: RequestSpan = { within: (run) => run(), end: () => undefined };

/**
 * Starts the span of an incoming request, as a child of its `traceparent` header if it has one. Health checks and scrapes
 * have none.
 */
export function startRequestSpan(method: string, api: string, headers: IncomingHttpHeaders): RequestSpan {
  if (!isTraced || api === 'operations') return untraced;
  const parent = propagation.extract(context.active(), headers);
  const attributes = { 'http.request.method': method };
  const span = tracer().startSpan(`${method} ${api}`, { kind: SpanKind.SERVER, attributes }, parent);
  const active = trace.setSpan(parent, span);
  return {
    within: (run) => context.with(active, run),
    end({ status, requestId }) {
      span.setAttributes({ 'http.response.status_code': status, 'request.id': requestId });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Names the span of the current request by its route or operation. */
export function nameRequestSpan(name: () => string): void {
  if (isTraced) trace.getActiveSpan()?.updateName(name());
}

/** Runs background work in a span; the platform calls it makes become children of the span. */
export function inSpan<T>(name: string, attributes: Attributes, run: () => Promise<T>): Promise<T> {
  const span = tracer().startSpan(name, { attributes });
  const failed = (error: unknown): never => {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  };
  return context
    .with(trace.setSpan(context.active(), span), run)
    .catch(failed)
    .finally(() => span.end());
}

/** All attempts of an event share a trace, whichever process sends them. */
function eventContext(eventId: string): Context {
  const hash = sha256(eventId);
  const parent = { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48), traceFlags: TraceFlags.SAMPLED };
  return trace.setSpanContext(context.active(), { ...parent, isRemote: true });
}

interface Call {
  name: string;
  seconds: number;
  isFault: boolean;
  attributes: Attributes;
  links?: Link[];
}

/** The span that is active now, for a span of another trace. */
const activeLinks = (): Link[] => {
  const active = trace.getActiveSpan();
  return active ? [{ context: active.spanContext() }] : [];
};

function recordCall({ name, seconds, isFault, attributes, links }: Call, parent = context.active()): void {
  const end = Date.now();
  const options = { kind: SpanKind.CLIENT, attributes, links, startTime: end - seconds * 1000 };
  const span = tracer().startSpan(name, options, parent);
  if (isFault) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(end);
}

const isSdkRegistered = (): boolean => trace.isSpanContextValid(tracer().startSpan('probe').spanContext());

/** Records platform calls and webhook attempts as spans. Returns a function that stops it and sends the last spans. */
export function startTracing(log: Log, isRequested: boolean): () => Promise<void> {
  isTraced = isSdkRegistered();
  if (!isTraced) {
    if (isRequested) log.warn('tracing disabled: no OpenTelemetry SDK is registered (see docs/operations.md)');
    return async () => undefined;
  }
  const ends = [
    upstreamCalled.on(({ platform, method, outcome, seconds }) => {
      const attributes = { 'http.request.method': method, platform, outcome };
      recordCall({ name: `${method} platform ${platform}`, seconds, isFault: !/^[23]xx$/.test(outcome), attributes });
    }),
    webhookSent.on(({ eventId, outcome, seconds }) => {
      const attributes = { 'webhook.event_id': eventId, outcome };
      const attempt = {
        name: 'webhook attempt',
        seconds,
        isFault: outcome !== '2xx',
        attributes,
        links: activeLinks(),
      };
      recordCall(attempt, eventContext(eventId));
    }),
  ];
  return async () => {
    ends.forEach((end) => end());
    await flush().catch((cause: unknown) => log.warn({ err: cause }, 'could not send the last traces'));
  };
}

interface Flushable {
  forceFlush?: () => Promise<void>;
  getDelegate?: () => Flushable;
}

async function flush(): Promise<void> {
  const provider = trace.getTracerProvider() as Flushable;
  await (provider.getDelegate?.() ?? provider).forceFlush?.();
}
