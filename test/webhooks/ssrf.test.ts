import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forbiddenHosts } from '../egress/forbidden-hosts.ts';
import { tryForbidden } from '../bench/support/forbidden.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let user: UserFixture;

beforeAll(async () => {
  app = await startTestApp({ NODE_ENV: 'production', HOST: '127.0.0.1', ROLE: 'api' });
  user = await createUserFixture(app);
});
afterAll(() => app.stop());

const save = (url: string) =>
  app.call('POST', '/v1/webhooks/settings', { key: user.key, body: { name: 'Hook', url, events: ['*'] } });

describe('in production a webhook (R43)', () => {
  it('is not saved with any address that is closed, however it is written', async () => {
    const answers = await Promise.all(
      forbiddenHosts.map(async (host) => [host, (await save(`http://${host}/`)).body.code]),
    );
    expect(answers).toEqual(forbiddenHosts.map((host) => [host, 'unsafe_url']));
  });

  it('can be tested by its owner only: others learn neither that it is there nor what it answers', async () => {
    const { body } = await save('https://mine.example.com/');
    const { key } = await createUserFixture(app);
    const test = { key, body: { webhookId: body.webhook._id as string } };
    const answer = await app.call('POST', '/v1/webhooks/test', test);
    expect([answer.status, answer.body.code, answer.body.delivery]).toEqual([404, 'webhook_not_found', undefined]);
    const reading = await user.keyWith({ permission: 'read' });
    expect((await app.call('POST', '/v1/webhooks/test', { ...test, key: reading.key })).status).toBe(403);
  });

  it('that was saved under other rules is checked again when it is tested and when a delivery is sent', async () => {
    const { body } = await save('https://hooks.example.com/');
    const webhookId = body.webhook._id as string;
    for (const host of ['127.0.0.1', '[::1]', '169.254.169.254', 'localhost']) {
      await app.app.services.db.webhooks.updateOne({ _id: webhookId }, { $set: { url: `http://${host}:1/` } });
      const answer = await app.call('POST', '/v1/webhooks/test', { key: user.key, body: { webhookId } });
      expect(answer.body).toMatchObject({
        success: false,
        delivery: { attempts: [{ errorClass: 'forbidden_address', remoteAddress: null, responseBody: null }] },
      });
    }
  });

  it('leads nowhere that is closed: saved, tested, sent to, redirected or by a name that changes its mind', async () => {
    const tried = await tryForbidden();
    expect(tried.map(({ way }) => way)).toEqual(['save', 'test', 'send', 'redirect', 'rebinding']);
    for (const { way, count, asTheyShould, connects } of tried) {
      expect(count, way).toBeGreaterThanOrEqual(60);
      expect([way, connects, asTheyShould]).toEqual([way, 0, count]);
    }
  });
});

describe('where https is asked for', () => {
  it('a webhook over http is not saved, and one from before is not sent to', async () => {
    const strict = await startTestApp({ ROLE: 'api', WEBHOOK_REQUIRE_HTTPS: 'true' });
    const owner = await createUserFixture(strict);
    const body = { name: 'Hook', url: 'http://hooks.example.com/', events: ['*'] };
    const post = (path: string, input: object) =>
      strict.call('POST', `/v1/webhooks/${path}`, { key: owner.key, body: input });
    expect((await post('settings', body)).body).toMatchObject({ code: 'unsafe_url', param: 'url' });
    const made = await post('settings', { ...body, url: 'https://hooks.example.com/' });
    const webhookId = made.body.webhook._id as string;
    await strict.app.services.db.webhooks.updateOne({ _id: webhookId }, { $set: { url: 'http://127.0.0.1:9/' } });
    const { body: tested } = await post('test', { webhookId });
    expect(tested.delivery.attempts).toMatchObject([{ errorClass: 'forbidden_address', remoteAddress: null }]);
    await strict.stop();
  });
});
