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
const rotate = (desk: WebhookFixture, input: object = {}, headers?: Record<string, string>) =>
  desk.post('settings/rotate-secret', { webhookId: desk.webhookId, ...input }, headers);

interface Sent {
  body: string;
  headers: Record<string, string>;
}

async function send(desk: WebhookFixture): Promise<Sent> {
  await desk.post('test', { webhookId: desk.webhookId });
  const { body, headers } = desk.receiver.got.at(-1)!;
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
    const desk = await webhookFixture(app, { secret: first });
    const before = await send(desk);
    const { status, body } = await rotate(desk, { graceSeconds: 600 });
    expect(status).toBe(200);
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const during = await send(desk);
    expect([accepts(first, before), accepts(first, during), accepts(body.secret, during)]).toEqual([true, true, true]);
    expect(during.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    const [log] = await desk.logs();
    expect(log.attempts[0].signingKeyIds).toEqual(body.signingKeys.map(({ id }: { id: string }) => id));
    await desk.receiver.stop();
  });

  it('signs alone once the grace is over, and nothing is left of the old one (R38)', async () => {
    const desk = await webhookFixture(app, { secret: first });
    const { db } = app.app.services;
    const { body } = await rotate(desk, { graceSeconds: 600 });
    const past = new Date(Date.now() - 1000);
    await db.webhooks.updateOne({ _id: desk.webhookId }, { $set: { 'previousSecrets.0.until': past } });
    const sent = await send(desk);
    expect([accepts(first, sent), accepts(body.secret, sent)]).toEqual([false, true]);
    expect(sent.headers['webhook-signature']?.split(' ')).toHaveLength(1);
    await cleanUpWebhooks(app.app.services);
    expect((await db.webhooks.findOne({ _id: desk.webhookId }).lean())?.previousSecrets).toEqual([]);
    await desk.receiver.stop();
  });

  it('may be given by the caller, is then not answered, and ends all others with a grace of 0', async () => {
    const desk = await webhookFixture(app, { secret: first });
    await rotate(desk);
    const { body } = await rotate(desk, { secret: 'short', graceSeconds: 0 });
    expect(body).toMatchObject({ success: true, webhook: { hasSecret: true }, warnings: [{ param: 'secret' }] });
    expect(body.secret).toBeUndefined();
    expect(body.signingKeys).toEqual([{ id: expect.any(String), validUntil: null }]);
    const sent = await send(desk);
    expect([accepts(first, sent), accepts('short', sent)]).toEqual([false, true]);
    await desk.receiver.stop();
  });

  it('keeps two old ones at most, and all at once make way for a secret that is saved plainly', async () => {
    const desk = await webhookFixture(app, { secret: first });
    for (let at = 0; at < 4; at++) await rotate(desk);
    expect((await send(desk)).headers['webhook-signature']?.split(' ')).toHaveLength(3);
    await desk.update({ secret: 'another secret of many letters' });
    expect((await send(desk)).headers['webhook-signature']?.split(' ')).toHaveLength(1);
    await desk.receiver.stop();
  });

  it('is shown once: a replay of the answer goes without it and rotates no further', async () => {
    const desk = await webhookFixture(app);
    const headers = { 'Idempotency-Key': 'rotate-1' };
    const one = await rotate(desk, {}, headers);
    const two = await rotate(desk, {}, headers);
    expect(two.headers.get('idempotent-replayed')).toBe('true');
    expect([typeof one.body.secret, two.body.secret]).toEqual(['string', undefined]);
    expect(two.body.signingKeys).toEqual(one.body.signingKeys);
    await desk.receiver.stop();
  });

  it('goes through GraphQL alike', async () => {
    const desk = await webhookFixture(app, { secret: first });
    const query = `mutation ($input: RotateWebhookSecretInput!) {
      rotateWebhookSecret(input: $input) { success secret signingKeys { id validUntil } webhook { hasSecret } } }`;
    const { body } = await app.graphql(query, { input: { webhookId: desk.webhookId } }, { key: desk.world.key });
    expect(body.data.rotateWebhookSecret).toMatchObject({
      secret: expect.stringMatching(/^whsec_/),
      signingKeys: [{ validUntil: null }, { validUntil: expect.stringMatching(/Z$/) }],
    });
    await desk.receiver.stop();
  });

  it("is refused for other people's webhooks, restricted and reading keys, and a grace out of bounds", async () => {
    const desk = await webhookFixture(app, { secret: first });
    const path = '/v1/webhooks/settings/rotate-secret';
    const body = { webhookId: desk.webhookId };
    const other = await createUserFixture(app);
    const reading = await desk.world.keyWith({ permission: 'read' });
    const narrow = await desk.world.keyWith({ scope: 'profiles', profileIds: [desk.world.profileId] });
    const statuses = [];
    for (const key of [other.key, reading.key, narrow.key])
      statuses.push((await app.call('POST', path, { key, body })).status);
    expect(statuses).toEqual([404, 403, 403]);
    for (const graceSeconds of [-1, 604_801, 1.5])
      expect((await rotate(desk, { graceSeconds })).body).toMatchObject({ param: 'graceSeconds' });
    expect((await rotate(desk, { secret: '' })).body).toMatchObject({ param: 'secret' });
    await desk.receiver.stop();
  });
});
