import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/telemetry/log.ts';
import { requestEnded, upstreamCalled, webhookSent } from '../../src/telemetry/events.ts';
import { startTracing } from '../../src/telemetry/tracing.ts';

const log = createLog('silent');

interface Seen {
  name: string;
  traceId: string;
  parent?: string;
}

/** Stands for the packages, which are no dependency: keeps what they are given. */
function packages(seen: Seen[]): (name: string) => Promise<unknown> {
  class BasicTracerProvider {
    readonly ids: { generateTraceId: () => string };
    constructor({ idGenerator }: { idGenerator: { generateTraceId: () => string } }) {
      this.ids = idGenerator;
    }
    getTracer() {
      return {
        startSpan: (name: string, _options: object, context: { traceId?: string; spanId?: string }) => {
          seen.push({ name, traceId: context.traceId ?? this.ids.generateTraceId(), parent: context.spanId });
          return { setStatus: () => undefined, end: () => undefined };
        },
      };
    }
    async shutdown() {}
  }
  const all: Record<string, object> = {
    '@opentelemetry/api': { ROOT_CONTEXT: {}, trace: { setSpanContext: (_context: object, span: object) => span } },
    '@opentelemetry/sdk-trace-base': { BasicTracerProvider, BatchSpanProcessor: class {} },
    '@opentelemetry/exporter-trace-otlp-http': { OTLPTraceExporter: class {} },
    '@opentelemetry/resources': { resourceFromAttributes: (attributes: object) => attributes },
  };
  return async (name) => all[name];
}

describe('traces', () => {
  it('are off, with a word in the log, where the packages are missing', async () => {
    const load = () => Promise.reject(new Error('Cannot find package'));
    expect(await startTracing({ serviceName: 's', log, load })).toBeUndefined();
  });

  it('put the calls of a request under it, and all attempts of an event into one trace', async () => {
    const seen: Seen[] = [];
    const tracing = await startTracing({ serviceName: 's', log, load: packages(seen) });
    await tracing?.within('r-1', async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      upstreamCalled.emit({ platform: 'A', method: 'GET', outcome: '2xx', seconds: 0.1 });
    });
    requestEnded.emit({ api: 'rest', method: 'GET', status: 200, seconds: 0.2, requestId: 'r-1' });
    webhookSent.emit({ eventId: 'evt_1', outcome: '5xx', seconds: 0.1 });
    webhookSent.emit({ eventId: 'evt_1', outcome: '2xx', seconds: 0.1 });
    upstreamCalled.emit({ platform: 'A', method: 'GET', outcome: '2xx', seconds: 0.1 });
    await tracing?.stop();
    upstreamCalled.emit({ platform: 'A', method: 'GET', outcome: '2xx', seconds: 0.1 });
    expect(seen.map(({ name }) => name)).toEqual([
      'GET platform A',
      'GET rest',
      'webhook attempt',
      'webhook attempt',
      'GET platform A',
    ]);
    const [call, request, first, second, alone] = seen;
    expect(call?.traceId).toBe(request?.traceId);
    expect(call?.parent).toMatch(/^[0-9a-f]{16}$/);
    expect(first?.traceId).toBe(second?.traceId);
    expect(new Set([call, first, alone].map((span) => span?.traceId)).size).toBe(3);
  });
});
