import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { follow, type Following } from '../support/stream.ts';
import { createUserFixture } from '../support/user-fixture.ts';
import { webhookFixture, type WebhookFixture } from './fixture.ts';

let app: TestApp;
let second: ServiceProcess;

beforeAll(async () => {
  app = await startTestApp();
  second = await startProcess({ ...app.env, ROLE: 'api' });
});
afterAll(async () => {
  await second.end('SIGTERM');
  await app.stop();
});

const deliveriesOf = (webhookId: string): string =>
  `deliveries(webhookId: "${webhookId}") { id eventId state trigger attempts { status } }`;

const states = ({ got }: Following): unknown[] => got.map(({ data }) => data?.['deliveries']?.['state']);

async function followed(fixture: WebhookFixture, url = app.url, key = fixture.user.key): Promise<Following> {
  return follow(url, key, deliveriesOf(fixture.webhookId));
}

describe('following the deliveries of a webhook', () => {
  it('shows each change as it happens, in another process than the one that sends', async () => {
    const fixture = await webhookFixture(app);
    const [near, far] = await Promise.all([followed(fixture), followed(fixture, second.url)]);
    await fixture.event();
    await expect.poll(() => [states(near), states(far)]).toEqual([['DELIVERED'], ['DELIVERED']]);
    const { eventId } = (await fixture.logs())[0];
    expect(far.got[0]?.data?.['deliveries']).toMatchObject({ eventId, trigger: 'AUTO', attempts: [{ status: 200 }] });
    near.stop();
    far.stop();
    await fixture.receiver.stop();
  });

  it('is for its owner alone: a foreign webhook is one that is not there', async () => {
    const fixture = await webhookFixture(app);
    const other = await createUserFixture(app);
    const narrow = await fixture.user.keyWith({ scope: 'profiles', profileIds: [fixture.user.profileId] });
    const codes = [];
    for (const key of [other.key, narrow.key]) {
      const refused = await followed(fixture, app.url, key);
      await refused.over;
      codes.push(
        refused.got.map(({ errors }) => [errors?.[0]?.extensions['code'], errors?.[0]?.extensions['requestId']]),
      );
    }
    expect(codes).toEqual([
      [['webhook_not_found', expect.any(String)]],
      [['insufficient_permissions', expect.any(String)]],
    ]);
    await fixture.receiver.stop();
  });

  it('is open to a key that may only read, and ends with the key', async () => {
    const fixture = await webhookFixture(app);
    const reading = await fixture.user.keyWith({ permission: 'read' });
    // The new key is an event too; it is over before the stream begins.
    await expect.poll(async () => (await fixture.logs())[0]?.state).toBe('delivered');
    const stream = await followed(fixture, second.url, reading.key);
    await fixture.event('one');
    await expect.poll(() => states(stream)).toEqual(['DELIVERED']);
    await app.call('DELETE', `/v1/api-keys/${reading.id}`, { key: fixture.user.key });
    await fixture.event('two');
    await stream.over;
    expect(states(stream)).toEqual(['DELIVERED']);
    await fixture.receiver.stop();
  });

  it('leaves nothing behind when the follower goes', async () => {
    const fixture = await webhookFixture(app);
    const redis = new Redis(app.env['REDIS_URL'] ?? '');
    const channel = `${app.env['REDIS_PREFIX']}:feed:deliveries:${fixture.webhookId}`;
    const followers = async (): Promise<unknown> => (await redis.pubsub('NUMSUB', channel))[1];
    const streams = await Promise.all([followed(fixture), followed(fixture), followed(fixture, second.url)]);
    expect(await followers()).toBe(2);
    for (const stream of streams) stream.stop();
    await expect.poll(followers).toBe(0);
    redis.disconnect();
    await fixture.receiver.stop();
  });

  it('refuses an id that is none', async () => {
    const { key } = await createUserFixture(app);
    const stream = await follow(app.url, key, deliveriesOf('nope'));
    await stream.over;
    expect(stream.got[0]?.errors?.[0]?.extensions).toMatchObject({ code: 'invalid_field_value', param: 'webhookId' });
  });
});

describe('a process that stops', () => {
  it('ends the streams at once instead of waiting for them', async () => {
    const third = await startProcess({ ...app.env, ROLE: 'api' });
    const fixture = await webhookFixture(app);
    const stream = await followed(fixture, third.url);
    expect(stream.status).toBe(200);
    const exit = third.end('SIGTERM');
    await stream.over;
    expect(await exit).toBe(0);
    await fixture.receiver.stop();
  });
});
