import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUpWebhooks } from '../../src/services/webhooks/cleanup.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture } from '../support/user-fixture.ts';
import { webhookFixture, type WebhookFixture } from './fixture.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());

const first = 'the first secret of all';
const rotate = (fixture: WebhookFixture, input: object = {}, headers?: Record<string, string>) =>
  fixture.post('settings/rotate-secret', { webhookId: fixture.webhookId, ...input }, headers);

interface Sent {
  body: string;
  headers: Record<string, string>;
}

async function send(fixture: WebhookFixture): Promise<Sent> {
  await fixture.post('test', { webhookId: fixture.webhookId });
  const { body, headers } = fixture.receiver.got.at(-1)!;
  return { body, headers: headers as Record<string, string> };
}
const accepts = (secret: string, { body, headers }: Sent): boolean => {
  try {
    new Verifier(secret, secret.startsWith('whsec_') ? undefined : { format: 'raw' }).verify(body, headers);
    return true;
  } catch {
    return false;
  }
};

describe('a rotated secret', () => {
  it('signs beside the old one, so that a receiver may switch at any moment (R39)', async () => {
    const fixture = await webhookFixture(app, { secret: first });
    const before = await send(fixture);
    const { status, body } = await rotate(fixture, { graceSeconds: 600 });
    expect(status).toBe(200);
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const during = await send(fixture);
    expect([accepts(first, before), accepts(first, during), accepts(body.secret, during)]).toEqual([true, true, true]);
    expect(during.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    const [log] = await fixture.logs();
    expect(log.attempts[0].signingKeyIds).toEqual(body.signingKeys.map(({ id }: { id: string }) => id));
    await fixture.receiver.stop();
  });

  it('signs alone once the grace is over, and nothing is left of the old one (R38)', async () => {
    const fixture = await webhookFixture(app, { secret: first });
    const { db } = app.app.services;
    const { body } = await rotate(fixture, { graceSeconds: 600 });
    const past = new Date(Date.now() - 1000);
    await db.webhooks.updateOne({ _id: fixture.webhookId }, { $set: { 'previousSecrets.0.until': past } });
    const sent = await send(fixture);
    expect([accepts(first, sent), accepts(body.secret, sent)]).toEqual([false, true]);
    expect(sent.headers['webhook-signature']?.split(' ')).toHaveLength(1);
    await cleanUpWebhooks(app.app.services);
    expect((await db.webhooks.findOne({ _id: fixture.webhookId }).lean())?.previousSecrets).toEqual([]);
    await fixture.receiver.stop();
  });

  it('may be given by the caller, is then not answered, and ends all others with a grace of 0', async () => {
    const fixture = await webhookFixture(app, { secret: first });
    await rotate(fixture);
    const { body } = await rotate(fixture, { secret: 'short', graceSeconds: 0 });
    expect(body).toMatchObject({ success: true, webhook: { hasSecret: true }, warnings: [{ param: 'secret' }] });
    expect(body.secret).toBeUndefined();
    expect(body.signingKeys).toEqual([{ id: expect.any(String), validUntil: null }]);
    const sent = await send(fixture);
    expect([accepts(first, sent), accepts('short', sent)]).toEqual([false, true]);
    await fixture.receiver.stop();
  });

  it('keeps two old ones at most, and all at once make way for a secret that is saved plainly', async () => {
    const fixture = await webhookFixture(app, { secret: first });
    for (let at = 0; at < 4; at++) await rotate(fixture);
    expect((await send(fixture)).headers['webhook-signature']?.split(' ')).toHaveLength(3);
    await fixture.update({ secret: 'another secret of many letters' });
    expect((await send(fixture)).headers['webhook-signature']?.split(' ')).toHaveLength(1);
    await fixture.receiver.stop();
  });

  it('is shown once: a replay of the answer goes without it and rotates no further', async () => {
    const fixture = await webhookFixture(app);
    const headers = { 'Idempotency-Key': 'rotate-1' };
    const one = await rotate(fixture, {}, headers);
    const two = await rotate(fixture, {}, headers);
    expect(two.headers.get('idempotent-replayed')).toBe('true');
    expect([typeof one.body.secret, two.body.secret]).toEqual(['string', undefined]);
    expect(two.body.signingKeys).toEqual(one.body.signingKeys);
    await fixture.receiver.stop();
  });

  it('goes through GraphQL alike', async () => {
    const fixture = await webhookFixture(app, { secret: first });
    const query = `mutation ($input: RotateWebhookSecretInput!) {
      rotateWebhookSecret(input: $input) { success secret signingKeys { id validUntil } webhook { hasSecret } } }`;
    const { body } = await app.graphql(query, { input: { webhookId: fixture.webhookId } }, { key: fixture.user.key });
    expect(body.data.rotateWebhookSecret).toMatchObject({
      secret: expect.stringMatching(/^whsec_/),
      signingKeys: [{ validUntil: null }, { validUntil: expect.stringMatching(/Z$/) }],
    });
    await fixture.receiver.stop();
  });

  it("is refused for other people's webhooks, restricted and reading keys, and a grace out of bounds", async () => {
    const fixture = await webhookFixture(app, { secret: first });
    const path = '/v1/webhooks/settings/rotate-secret';
    const body = { webhookId: fixture.webhookId };
    const other = await createUserFixture(app);
    const reading = await fixture.user.keyWith({ permission: 'read' });
    const narrow = await fixture.user.keyWith({ scope: 'profiles', profileIds: [fixture.user.profileId] });
    const statuses = [];
    for (const key of [other.key, reading.key, narrow.key])
      statuses.push((await app.call('POST', path, { key, body })).status);
    expect(statuses).toEqual([404, 403, 403]);
    for (const graceSeconds of [-1, 604_801, 1.5])
      expect((await rotate(fixture, { graceSeconds })).body).toMatchObject({ param: 'graceSeconds' });
    expect((await rotate(fixture, { secret: '' })).body).toMatchObject({ param: 'secret' });
    await fixture.receiver.stop();
  });
});
