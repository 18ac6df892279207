import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess } from '../support/process.ts';
import { insertOldDeliveries, webhookFixture } from './fixture.ts';
import { status } from './receiver.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api', SWEEP_INTERVAL_SECONDS: '0.2', WEBHOOK_TIMEOUT_SECONDS: '30' });
});
afterAll(() => app.stop());

const test = { secret: 'a secret of many letters', customHeaders: { 'X-Shop': 'hidden-value' } };

describe('an attempt in the log', () => {
  it('shows what was sent, where it went, what came back and which secret signed', async () => {
    const fixture = await webhookFixture(app, test);
    fixture.receiver.answer = (_request, response) =>
      void response.writeHead(202, { 'X-Trace': 't'.repeat(900), 'Set-Cookie': 'session=1' }).end('got it');
    await fixture.post('test', { webhookId: fixture.webhookId });
    const [{ attempts }] = await fixture.logs();
    expect(attempts[0]).toMatchObject({
      remoteAddress: '127.0.0.1',
      responseBody: 'got it',
      responseHeaders: { 'x-trace': 't'.repeat(256) },
      signingKeyIds: [expect.stringMatching(/^[0-9a-f]{24}$/)],
    });
    expect(attempts[0].requestHeaders).toEqual(
      expect.arrayContaining(['X-Shop', 'webhook-id', 'webhook-signature', 'content-type']),
    );
    expect(JSON.stringify(attempts)).not.toMatch(/hidden-value|session=1/);
    await fixture.receiver.stop();
  });

  it('keeps thirty headers of an answer and no more', async () => {
    const fixture = await webhookFixture(app);
    const many = Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`x-h${at}`, 'v']));
    fixture.receiver.answer = (_request, response) => void response.writeHead(200, many).end();
    await fixture.post('test', { webhookId: fixture.webhookId });
    const [{ attempts }] = await fixture.logs();
    expect(Object.keys(attempts[0].responseHeaders)).toHaveLength(30);
    await fixture.receiver.stop();
  });

  it('names the address that refused, and none where nothing was dialled', async () => {
    const fixture = await webhookFixture(app);
    await fixture.receiver.stop();
    await fixture.post('test', { webhookId: fixture.webhookId });
    await fixture.update({ url: 'http://nowhere.invalid/' });
    await fixture.post('test', { webhookId: fixture.webhookId });
    const [unknown, refused] = await fixture.logs();
    expect(refused.attempts[0]).toMatchObject({ errorClass: 'refused', remoteAddress: '127.0.0.1' });
    expect(unknown.attempts[0]).toMatchObject({ errorClass: 'dns', remoteAddress: null, responseHeaders: null });
  });

  it('is the same through GraphQL', async () => {
    const fixture = await webhookFixture(app, test);
    await fixture.post('test', { webhookId: fixture.webhookId });
    const query = `{ webhookDeliveries { nodes { trigger attempts {
      requestHeaders responseHeaders remoteAddress signingKeyIds } } } }`;
    const { body } = await app.graphql(query, {}, { key: fixture.user.key });
    const [{ attempts }] = await fixture.logs();
    const { requestHeaders, responseHeaders, remoteAddress, signingKeyIds } = attempts[0];
    expect(body.data.webhookDeliveries.nodes).toEqual([
      { trigger: 'TEST', attempts: [{ requestHeaders, responseHeaders, remoteAddress, signingKeyIds }] },
    ]);
    await fixture.receiver.stop();
  });
});

describe('the log as a connection', () => {
  it('pages by the id of a delivery, from the root and below a webhook', async () => {
    const fixture = await webhookFixture(app);
    const ids = (await insertOldDeliveries(app, fixture, { count: 3 })).length;
    expect(ids).toBe(3);
    const logs = await fixture.logs();
    const expected = logs.map(({ _id }: { _id: string }) => _id);
    const fields = 'nodes { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage endCursor }';
    const ask = async (args: string) => {
      const query = `{ webhookDeliveries(${args}) { ${fields} } webhooks { deliveries(${args}) { ${fields} } } }`;
      return (await app.graphql(query, {}, { key: fixture.user.key })).body;
    };
    const first = (await ask('first: 2, status: FAILED')).data;
    expect(first.webhooks[0].deliveries).toEqual(first.webhookDeliveries);
    expect(first.webhookDeliveries).toEqual({
      nodes: expected.slice(0, 2).map((id: string) => ({ id })),
      edges: expected.slice(0, 2).map((id: string) => ({ cursor: id, node: { id } })),
      pageInfo: { hasNextPage: true, hasPreviousPage: false, endCursor: expected[1] },
    });
    const second = (await ask(`first: 2, after: "${expected[1]}"`)).data;
    expect(second.webhooks[0].deliveries).toEqual(second.webhookDeliveries);
    expect(second.webhookDeliveries).toMatchObject({
      nodes: [{ id: expected[2] }],
      pageInfo: { hasNextPage: false, hasPreviousPage: true },
    });
    expect((await ask('after: "nonsense"')).errors[0].extensions).toMatchObject({ param: 'after' });
    await fixture.receiver.stop();
  });

  it('has the webhook, the body of the event and the attempts of each hour', async () => {
    const fixture = await webhookFixture(app);
    await fixture.post('test', { webhookId: fixture.webhookId });
    const query = `{ webhooks { health { success failure }
      deliveries { nodes { eventId eventBody webhook { id recentlyFailed: consecutiveFailures } } } } }`;
    const { data } = (await app.graphql(query, {}, { key: fixture.user.key })).body;
    const [{ health, deliveries }] = data.webhooks;
    expect(health).toHaveLength(24);
    expect(health.reduce((sum: number, { success }: { success: number }) => sum + success, 0)).toBe(1);
    expect(deliveries.nodes).toMatchObject([
      { webhook: { id: fixture.webhookId }, eventBody: { id: deliveries.nodes[0].eventId, event: 'webhook.test' } },
    ]);
    const mutation = `mutation { testWebhook(webhookId: "${fixture.webhookId}") { delivery { webhook { health { success } } } } }`;
    const tested = (await app.graphql(mutation, {}, { key: fixture.user.key })).body.data;
    expect(tested.testWebhook.delivery.webhook.health).toHaveLength(24);
    await fixture.receiver.stop();
  });
});

describe('a worker that has to stop', () => {
  it('cuts hanging requests short, and another worker takes them over at once', async () => {
    const worker = await startProcess({ ...app.env, ROLE: 'worker' });
    const fixture = await webhookFixture(app);
    fixture.receiver.answer = () => undefined;
    await fixture.event('a');
    await fixture.event('b');
    await fixture.receiver.has(2);
    // The first two keep hanging; the next client is served.
    fixture.receiver.answer = status(200);
    expect(await worker.end('SIGTERM')).toBe(0);
    const logs = await fixture.logs();
    expect(logs.map(({ state }: { state: string }) => state)).toEqual(['pending', 'pending']);
    expect(logs[0].attempts).toMatchObject([{ outcome: 'unknown', errorClass: 'shutdown' }]);
    expect((await fixture.webhook()).consecutiveFailures).toBe(0);
    const second = await startProcess({ ...app.env, ROLE: 'worker' });
    await fixture.receiver.has(4);
    await expect.poll(async () => (await fixture.logs('&status=delivered')).length).toBe(2);
    await second.end('SIGTERM');
    await fixture.receiver.stop();
  });
});
