import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../src/telemetry/log.ts';
import { upstreamCalled, webhookSent } from '../../src/telemetry/events.ts';
import { startTracing } from '../../src/telemetry/tracing.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture, goodAd, type UserFixture } from '../support/user-fixture.ts';
import { webhookFixture } from '../webhooks/fixture.ts';

/** A log that keeps the messages of its warnings. */
function warnings() {
  const messages: unknown[] = [];
  return { messages, log: Object.assign(createLog('silent'), { warn: (message: unknown) => messages.push(message) }) };
}

describe('without an OpenTelemetry SDK', () => {
  it('warns if a collector is configured', async () => {
    const { messages, log } = warnings();
    await startTracing(log as never, true)();
    expect(messages).toEqual([expect.stringContaining('no OpenTelemetry SDK is registered')]);
  });

  it('is silent if none is configured', async () => {
    const { messages, log } = warnings();
    await startTracing(log as never, false)();
    expect(messages).toEqual([]);
  });
});

describe('with an OpenTelemetry SDK', () => {
  const exporter = new InMemorySpanExporter();
  let app: TestApp;
  let fixture: UserFixture;

  beforeAll(async () => {
    new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
    app = await startTestApp();
    fixture = await createUserFixture(app);
  });
  afterAll(async () => {
    await app.stop();
    for (const api of [trace, context, propagation]) api.disable();
  });

  /** The spans that a request causes; its own ends after its response, so it is waited for. */
  const spansOf = async (run: () => Promise<unknown>) => {
    exporter.reset();
    await run();
    await expect.poll(() => exporter.getFinishedSpans().some(({ kind }) => kind === SpanKind.SERVER)).toBe(true);
    return exporter.getFinishedSpans();
  };
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const parentId = 'b7ad6b7169203331';

  it('continues the trace of the caller, with the calls of the request under its span', async () => {
    const headers = { traceparent: `00-${traceId}-${parentId}-01`, 'x-request-id': 'r-1' };
    const spans = await spansOf(() =>
      app.call('POST', '/v1/ads/create', { key: fixture.key, body: goodAd(fixture), headers }),
    );
    const request = spans.find(({ kind }) => kind === SpanKind.SERVER);
    expect(request).toMatchObject({
      name: 'POST /v1/ads/create',
      parentSpanContext: { spanId: parentId },
      attributes: { 'request.id': 'r-1', 'http.response.status_code': 201 },
    });
    expect(request?.spanContext().traceId).toBe(traceId);
    const calls = spans.filter(({ kind }) => kind === SpanKind.CLIENT);
    expect(new Set(calls.map(({ name }) => name))).toContain('POST platform A');
    expect(calls.length).toBeGreaterThan(3);
    for (const call of calls) expect(call.parentSpanContext?.spanId).toBe(request?.spanContext().spanId);
  });

  it.each([
    ['{ profiles { nodes { id } } }', 'query profiles'],
    ['{ profiles { nodes { id } } viewer { user { id } } }', 'query'],
  ])('names the span of %s', async (query, name) => {
    const spans = await spansOf(() => app.graphql(query, {}, { key: fixture.key }));
    expect(spans.filter(({ kind }) => kind === SpanKind.SERVER).map((span) => span.name)).toEqual([name]);
  });

  it('names the span of a route by its pattern', async () => {
    const spans = await spansOf(() => app.call('GET', `/v1/accounts/${fixture.accountId}`, { key: fixture.key }));
    expect(spans.map(({ name }) => name)).toEqual(['GET /v1/accounts/{accountId}']);
  });

  it('starts a trace of its own for each request without a traceparent', async () => {
    const ids = [];
    for (const path of ['/v1/profiles', '/v1/profiles'])
      ids.push((await spansOf(() => app.call('GET', path, { key: fixture.key })))[0]?.spanContext().traceId);
    expect(new Set(ids).size).toBe(2);
  });

  it('does not trace health checks and scrapes', async () => {
    const spans = await spansOf(async () => {
      for (const path of ['/healthz', '/readyz', '/metrics']) await fetch(app.url + path);
      await app.call('GET', '/v1/profiles', { key: fixture.key });
    });
    expect(spans.map(({ name }) => name)).toEqual(['GET /v1/profiles']);
  });

  it('traces background work, with its platform calls under its span', async () => {
    const { accountId, key } = fixture;
    exporter.reset();
    await app.call('POST', `/v1/accounts/${accountId}/ads/sync`, { key });
    const spanOf = (name: string) => exporter.getFinishedSpans().find((span) => span.name === name);
    await expect.poll(() => spanOf('discover campaigns')).toBeDefined();
    const job = spanOf('discover campaigns');
    expect(job?.attributes).toEqual({ 'account.id': accountId });
    const calls = exporter
      .getFinishedSpans()
      .filter(({ parentSpanContext }) => parentSpanContext?.spanId === job?.spanContext().spanId);
    expect(new Set(calls.map(({ name }) => name))).toContain('GET platform A');
  });

  it('traces a delivery as a job of its own, to which its attempt links', async () => {
    const hook = await webhookFixture(app);
    exporter.reset();
    await hook.event();
    const spanOf = (name: string) => exporter.getFinishedSpans().find((span) => span.name === name);
    await expect.poll(() => spanOf('deliver webhook')).toBeDefined();
    const job = spanOf('deliver webhook');
    const [delivery] = await hook.logs();
    expect(job).toMatchObject({ attributes: { 'delivery.id': delivery._id }, status: { code: SpanStatusCode.UNSET } });
    expect(spanOf('webhook attempt')?.links.map((link) => link.context.spanId)).toEqual([job?.spanContext().spanId]);
    await hook.receiver.stop();
  });

  it('puts all attempts of an event into one trace, and marks failed ones', () => {
    exporter.reset();
    webhookSent.emit({ eventId: 'evt_1', outcome: '5xx', seconds: 0.1 });
    webhookSent.emit({ eventId: 'evt_1', outcome: '2xx', seconds: 0.1 });
    webhookSent.emit({ eventId: 'evt_2', outcome: '2xx', seconds: 0.1 });
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ name, status }) => [name, status.code])).toEqual([
      ['webhook attempt', SpanStatusCode.ERROR],
      ['webhook attempt', SpanStatusCode.UNSET],
      ['webhook attempt', SpanStatusCode.UNSET],
    ]);
    const [first, second, other] = spans.map((span) => span.spanContext().traceId);
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  it('records nothing more once it is stopped', async () => {
    const stop = startTracing(createLog('silent'), true);
    await stop();
    exporter.reset();
    upstreamCalled.emit({ platform: 'A', method: 'GET', outcome: '2xx', seconds: 0.1 });
    // The app of this file still listens.
    expect(exporter.getFinishedSpans()).toHaveLength(1);
  });
});
