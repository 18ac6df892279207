import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webhookSecret } from '../../src/services/encryption/bindings.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { requireDescribed } from '../support/event-bodies.ts';
import { startProcess } from '../support/process.ts';
import { createUserFixture, goodAd, type UserFixture } from '../support/user-fixture.ts';
import { startReceiver, status } from '../webhooks/receiver.ts';

let app: TestApp;
let fixture: UserFixture;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const settings = '/v1/webhooks/settings';
const good = { name: 'Hook', url: 'https://shop.example/hooks', events: ['ad.created'] };
const create = (body: object, key = fixture.key) => app.call('POST', settings, { key, body });
const update = (body: object, key = fixture.key) => app.call('PUT', settings, { key, body });

describe(`POST ${settings}`, () => {
  beforeAll(async () => {
    fixture = await createUserFixture(app);
  });

  it('200: answers {success, webhook} without secrets', async () => {
    const answer = await create({
      ...good,
      name: '  Hook  ',
      url: ' https://shop.example/hooks ',
      secret: 'a-secret-of-many-letters',
      customHeaders: { 'X-Token': 'hush' },
    });
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(answer.body.webhook).toMatchObject({
      name: 'Hook',
      url: 'https://shop.example/hooks',
      events: ['ad.created'],
      isActive: true,
      hasSecret: true,
      customHeaders: { 'X-Token': '***' },
      ordering: 'none',
      maxPerSecond: 50,
      plainSignature: true,
      consecutiveFailures: 0,
    });
    expect(JSON.stringify(answer.body)).not.toMatch(/hush|many-letters/);
    const stored = await app.app.services.db.webhooks.findOne({ _id: answer.body.webhook._id }).lean();
    expect(JSON.stringify(stored)).not.toMatch(/hush|many-letters/);
  });

  it.each([
    ['no name', { name: undefined }, 'name', 'missing_required_field'],
    ['an empty name', { name: '  ' }, 'name', 'invalid_field_value'],
    ['a name of 51', { name: 'é'.repeat(51) }, 'name', 'invalid_field_value'],
    ['no url', { url: undefined }, 'url', 'missing_required_field'],
    ['a url that is none', { url: 'shop' }, 'url', 'invalid_field_value'],
    ['another scheme', { url: 'ftp://shop.example/' }, 'url', 'invalid_field_value'],
    ['credentials in the url', { url: 'https://a:b@shop.example/' }, 'url', 'invalid_field_value'],
    ['no events', { events: undefined }, 'events', 'missing_required_field'],
    ['an empty list of events', { events: [] }, 'events', 'invalid_field_value'],
    ['an unknown event', { events: ['ad.create'] }, 'events.0', 'invalid_field_value'],
    ['a broken whsec_', { secret: 'whsec_%%%' }, 'secret', 'invalid_field_value'],
    ['whsec_ alone', { secret: 'whsec_' }, 'secret', 'invalid_field_value'],
    ['a whsec_ of no byte', { secret: 'whsec_A' }, 'secret', 'invalid_field_value'],
    [
      'a whsec_ of 15 bytes',
      { secret: `whsec_${Buffer.alloc(15, 7).toString('base64')}` },
      'secret',
      'invalid_field_value',
    ],
    ['a whsec_ without its padding', { secret: `whsec_${'A'.repeat(22)}` }, 'secret', 'invalid_field_value'],
    ['a whsec_ with loose bits', { secret: `whsec_${'A'.repeat(21)}B==` }, 'secret', 'invalid_field_value'],
    ['a whsec_ with a blank', { secret: `whsec_${'A'.repeat(12)} ${'A'.repeat(12)}` }, 'secret', 'invalid_field_value'],
    ['a whsec_ in base64url', { secret: `whsec_${'-_'.repeat(12)}` }, 'secret', 'invalid_field_value'],
    ['a whsec_ with a line break', { secret: `whsec_${'A'.repeat(24)}\n` }, 'secret', 'invalid_field_value'],
    ['a secret of 257', { secret: 'x'.repeat(257) }, 'secret', 'invalid_field_value'],
    ['a reserved header', { customHeaders: { 'Webhook-Id': 'x' } }, 'customHeaders.Webhook-Id', 'invalid_field_value'],
    [
      'a header with a line break',
      { customHeaders: { 'X-A': 'a\r\nb: c' } },
      'customHeaders.X-A',
      'invalid_field_value',
    ],
    ['a header that is not Latin', { customHeaders: { 'X-A': '日本' } }, 'customHeaders.X-A', 'invalid_field_value'],
    ['a header with an accent', { customHeaders: { 'X-A': 'é' } }, 'customHeaders.X-A', 'invalid_field_value'],
    ['a header twice', { customHeaders: { 'X-A': '1', 'x-a': '2' } }, 'customHeaders.x-a', 'invalid_field_value'],
    [
      'a header with the name of an inherited property',
      { customHeaders: Object.fromEntries([['__proto__', 'x']]) },
      'customHeaders.__proto__',
      'invalid_field_value',
    ],
    ['a metadata address', { url: 'http://169.254.169.254/latest' }, 'url', 'unsafe_url'],
    ['a private address', { url: 'http://10.0.0.1/' }, 'url', 'unsafe_url'],
    ['a hidden private address', { url: 'http://0x0a000001/' }, 'url', 'unsafe_url'],
    ['too many a second', { maxPerSecond: 51 }, 'maxPerSecond', 'invalid_field_value'],
    ['an unknown field', { headers: {} }, 'headers', 'unknown_field'],
  ])('400: refuses %s (R42, R43)', async (_what, change, param, code) => {
    const answer = await create({ ...good, ...change });
    expect(answer).toMatchObject({ status: 400, body: { code, param } });
  });

  it.each(['é'.repeat(50), '🎉'.repeat(50)])('takes a name of 50 characters: %s', async (name) => {
    const { body } = await create({ ...good, name });
    expect(body.webhook.name).toBe(name);
  });

  it('hints at the event that was meant', async () => {
    expect((await create({ ...good, events: ['ad.create'] })).body.error).toContain('ad.created');
  });

  it.each([
    '127.0.0.1',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    'localhost.',
    'foo.localhost',
    'LOCALHOST',
  ])('warns that http://%s is on this machine', async (host) => {
    const { body } = await create({ ...good, url: `http://${host}:4999/hook` }, (await createUserFixture(app)).key);
    expect(body.warnings).toEqual([{ param: 'url', message: expect.stringContaining('on this machine') }]);
  });

  it.each([
    ['https://shop.example/my hook', 'contains white space at position 24; write %20'],
    ['http:/shop.example', 'must have // and a host after the scheme, such as https://example.com'],
  ])('400: %s is refused by both APIs, saying why', async (url, problem) => {
    const rest = await create({ ...good, url });
    expect([rest.status, rest.body.details.fields]).toEqual([400, { url: [problem] }]);
    const query = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { url } } }';
    const graphql = await app.graphql(query, { input: { ...good, url } }, { key: fixture.key });
    expect(graphql.body.errors[0].extensions.details.fields).toEqual({ url: [problem] });
  });

  it('keeps an international address as it was written', async () => {
    const url = 'https://bücher.example/größe?ü=é';
    const { body } = await create({ ...good, url }, (await createUserFixture(app)).key);
    expect(body.webhook.url).toBe(url);
  });

  it('warns of a short secret and of an address on this machine', async () => {
    const { body } = await create({ ...good, url: 'http://127.0.0.1:9/', secret: 'short' });
    expect(body.warnings.map(({ param }: { param: string }) => param)).toEqual(['secret', 'url']);
  });

  it('200: accepts whsec_ secrets of 16 and more bytes without a warning', async () => {
    const user = await createUserFixture(app);
    for (const bytes of [16, 24, 32, 64]) {
      const { status: code, body } = await create(
        { ...good, secret: `whsec_${Buffer.alloc(bytes, 251).toString('base64')}` },
        user.key,
      );
      expect([code, body.warnings]).toEqual([200, undefined]);
    }
  });

  it('shows a warning for a weak secret of an earlier version, which keeps working', async () => {
    const user = await createUserFixture(app);
    const { _id } = (await create({ ...good, secret: 'a-secret-of-many-letters' }, user.key)).body.webhook;
    await create(good, user.key);
    const { db, encrypter } = app.app.services;
    await db.webhooks.updateOne({ _id }, { encryptedSecret: encrypter.encrypt('whsec_A', webhookSecret(_id)) });
    const weak = [{ param: 'secret', message: expect.stringContaining('can be guessed') }];
    const listed = (await app.call('GET', settings, { key: user.key })).body.webhooks;
    expect(listed.map((webhook: { warnings?: unknown }) => webhook.warnings)).toEqual([weak, undefined]);
    expect((await update({ _id, name: 'Renamed' }, user.key)).body).toMatchObject({ success: true, warnings: weak });
    const strong = { _id, secret: `whsec_${Buffer.alloc(32, 9).toString('base64')}` };
    expect((await update(strong, user.key)).body.warnings).toBeUndefined();
  });

  it('401 and 403: needs a key, that may write, of scope full', async () => {
    expect((await app.call('POST', settings, { body: good })).status).toBe(401);
    const read = await fixture.keyWith({ permission: 'read' });
    const narrow = await fixture.keyWith({ scope: 'profiles', profileIds: [fixture.profileId] });
    for (const { key } of [read, narrow]) expect((await create(good, key)).status).toBe(403);
    expect((await app.call('GET', settings, { key: narrow.key })).status).toBe(403);
  });

  it('400: refuses the eleventh, also when fifty come at once to two processes', async () => {
    const user = await createUserFixture(app);
    const second = await startProcess({ ...app.env, ROLE: 'api' });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        (at % 2 ? app : second).call('POST', settings, { key: user.key, body: { ...good, name: `W${at}` } }),
      ),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(10);
    const refused = answers.filter((answer) => answer.status !== 200);
    expect(new Set(refused.map((answer) => `${answer.status} ${answer.body.code}`))).toEqual(
      new Set(['400 webhook_limit_reached']),
    );
    const { webhooks } = (await app.call('GET', settings, { key: user.key })).body;
    expect(webhooks).toHaveLength(10);
    await app.call('DELETE', `${settings}?id=${webhooks[0]._id}`, { key: user.key });
    expect((await create(good, user.key)).status).toBe(200);
    await second.end('SIGTERM');
  });
});

describe(`PUT ${settings}`, () => {
  let id: string;
  beforeAll(async () => {
    fixture = await createUserFixture(app);
    id = (await create({ ...good, secret: 'a-secret-of-many-letters', customHeaders: { 'X-A': 'one', 'X-B': 'two' } }))
      .body.webhook._id;
  });

  it('200: changes the given fields only, by _id and by webhookId', async () => {
    const { body } = await update({ _id: id, name: 'Renamed' });
    expect(body.webhook).toMatchObject({
      name: 'Renamed',
      url: good.url,
      hasSecret: true,
      customHeaders: { 'X-A': '***', 'X-B': '***' },
    });
    expect((await update({ webhookId: id, events: ['*'] })).body.webhook).toMatchObject({
      name: 'Renamed',
      events: ['*'],
    });
  });

  it('keeps header values that come back masked, and replaces the rest (R41)', async () => {
    const { body } = await update({ _id: id, customHeaders: { 'X-A': '***', 'X-C': 'three' } });
    expect(body.webhook.customHeaders).toEqual({ 'X-A': '***', 'X-C': '***' });
    const receiver = await startReceiver();
    await update({ _id: id, url: receiver.url });
    await app.call('POST', '/v1/webhooks/test', { key: fixture.key, body: { webhookId: id } });
    expect(receiver.got[0]?.headers).toMatchObject({ 'x-a': 'one', 'x-c': 'three' });
    await receiver.stop();
  });

  it('400: a masked value that nothing is stored for, on create and on update', async () => {
    const expected = { status: 400, body: { code: 'invalid_field_value', param: 'customHeaders.X-New' } };
    expect(await create({ ...good, customHeaders: { 'X-New': '***' } })).toMatchObject(expected);
    expect(await update({ _id: id, customHeaders: { 'X-A': '***', 'X-New': '***' } })).toMatchObject(expected);
  });

  it('400: a recovery that cannot be changes nothing at all', async () => {
    const own = (await create({ ...good, isActive: false })).body.webhook;
    const failed = { _id: own._id, name: 'Changed', recover: 'failed' };
    const answers = [
      await update({ ...failed, recoverSince: '2026-01-01T00:00:00Z' }),
      await update({ ...failed, isActive: true, recoverSince: '2999-01-01T00:00:00Z' }),
    ];
    expect(answers.map(({ status, body }) => [status, body.param])).toEqual([
      [400, 'recover'],
      [400, 'recoverSince'],
    ]);
    const { body } = await app.call('GET', settings, { key: fixture.key });
    expect(body.webhooks.find((one: { _id: string }) => one._id === own._id)).toEqual(own);
    await app.call('DELETE', `${settings}?id=${own._id}`, { key: fixture.key });
  });

  it.each([
    ['recoverSince alone', { recoverSince: '2026-01-01T00:00:00Z' }, ['recoverSince']],
    ['recoverSince beside held', { recover: 'held', recoverSince: '2026-01-01T00:00:00Z' }, ['recoverSince']],
    ['ids of two webhooks', { webhookId: 'f'.repeat(24) }, ['_id', 'webhookId']],
  ])('400: refuses %s, and names each field, at both APIs', async (_what, change, fields) => {
    const before = await app.call('GET', settings, { key: fixture.key });
    const rest = await update({ _id: id, name: 'Changed', ...change });
    expect(rest).toMatchObject({ status: 400, body: { code: 'invalid_field_value', param: fields[0] } });
    expect(Object.keys(rest.body.details.fields)).toEqual(fields);
    const query = 'mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { success } }';
    const input = { id, name: 'Changed', ...change, ...('recover' in change && { recover: 'HELD' }) };
    const { body } = await app.graphql(query, { input }, { key: fixture.key });
    expect(Object.keys(body.errors[0].extensions.details.fields)).toEqual(fields);
    expect((await app.call('GET', settings, { key: fixture.key })).body).toEqual(before.body);
  });

  it('takes the same id twice', async () => {
    expect((await update({ _id: id, webhookId: id, name: 'Twice' })).body.webhook.name).toBe('Twice');
  });

  it('removes the secret by an empty one', async () => {
    expect((await update({ _id: id, secret: '' })).body.webhook.hasSecret).toBe(false);
  });

  it('re-enabling resets the count (R25)', async () => {
    await app.app.services.db.webhooks.updateOne(
      { _id: id },
      {
        $set: {
          isActive: false,
          consecutiveFailures: 10,
          disabledReason: 'consecutive_failures',
          disabledAt: new Date(),
        },
      },
    );
    expect((await update({ _id: id, isActive: true })).body.webhook).toMatchObject({
      isActive: true,
      consecutiveFailures: 0,
      disabledReason: null,
      disabledAt: null,
    });
  });

  it('400: names a missing id and a bad field', async () => {
    expect(await update({ name: 'x' })).toMatchObject({
      status: 400,
      body: { code: 'missing_required_field', param: '_id' },
    });
    expect(await update({ _id: id, name: '' })).toMatchObject({ status: 400, body: { param: 'name' } });
  });

  it("404: unknown and other people's look the same", async () => {
    const other = await createUserFixture(app);
    const foreign = (await create(good, other.key)).body.webhook._id;
    for (const _id of ['f'.repeat(24), foreign])
      expect(await update({ _id, name: 'x' })).toMatchObject({ status: 404, body: { code: 'webhook_not_found' } });
    expect((await app.call('DELETE', `${settings}?id=${foreign}`, { key: fixture.key })).status).toBe(404);
  });

  it('goes through GraphQL alike', async () => {
    const query =
      'mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { success webhook { id name } } }';
    const { body } = await app.graphql(query, { input: { id, name: 'By GraphQL' } }, { key: fixture.key });
    expect(body.data.updateWebhook).toEqual({ success: true, webhook: { id, name: 'By GraphQL' } });
  });
});

describe('POST /v1/webhooks/test', () => {
  it('200: returns whether the receiver accepted, and does not affect the failure count', async () => {
    const user = await createUserFixture(app);
    const receiver = await startReceiver();
    const { webhook } = (await create({ ...good, url: receiver.url }, user.key)).body;
    const test = () => app.call('POST', '/v1/webhooks/test', { key: user.key, body: { webhookId: webhook._id } });
    expect((await test()).body).toMatchObject({
      success: true,
      delivery: { event: 'webhook.test', trigger: 'test', state: 'delivered' },
    });
    receiver.answer = status(500);
    expect((await test()).body).toMatchObject({
      success: false,
      delivery: { state: 'failed', attempts: [{ status: 500 }] },
    });
    const { webhooks } = (await app.call('GET', settings, { key: user.key })).body;
    expect(webhooks[0]).toMatchObject({ consecutiveFailures: 0, lastSuccessAt: null });
    await receiver.stop();
  });
});

describe('GET /v1/events', () => {
  it('lists every event with a schema and a complete sample that fits it', async () => {
    const { eventTypes } = (await app.call('GET', '/v1/events', { key: fixture.key })).body;
    expect(eventTypes.map(({ name }: { name: string }) => name)).toContain('webhook.disabled');
    const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
    for (const { name, schema, sample } of eventTypes) {
      expect(sample).toMatchObject({ id: expect.any(String), event: name, timestamp: expect.any(String) });
      expect(ajv.validate(schema, sample), `${name}: ${ajv.errorsText()}`).toBe(true);
      requireDescribed(name, sample);
    }
  });

  it('has schemas that accept real events, and those with new members', async () => {
    const user = await createUserFixture(app);
    const receiver = await startReceiver();
    await create({ ...good, url: receiver.url, events: ['*'] }, user.key);
    const { eventTypes } = (await app.call('GET', '/v1/events', { key: fixture.key })).body;
    expect((await app.call('POST', '/v1/ads/create', { key: user.key, body: goodAd(user) })).status).toBe(201);
    await expect.poll(() => receiver.got.length).toBeGreaterThan(0);
    const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
    const body = JSON.parse(receiver.got[0]!.body);
    const { schema } = eventTypes.find(({ name }: { name: string }) => name === body.event);
    expect(ajv.validate(schema, { ...body, added: 1, ad: { ...body.ad, added: 1 } }), ajv.errorsText()).toBe(true);
    expect(ajv.validate(schema, { ...body, ad: { ...body.ad, status: undefined } })).toBe(false);
    await receiver.stop();
  });
});

describe('GET /v1/webhooks/logs', () => {
  it('pages by key', async () => {
    const user = await createUserFixture(app);
    const receiver = await startReceiver();
    const { webhook } = (await create({ ...good, url: receiver.url }, user.key)).body;
    for (let at = 0; at < 3; at++)
      await app.call('POST', '/v1/webhooks/test', { key: user.key, body: { webhookId: webhook._id } });
    const first = (await app.call('GET', '/v1/webhooks/logs?limit=2', { key: user.key })).body;
    const second = (await app.call('GET', `/v1/webhooks/logs?limit=2&cursor=${first.nextCursor}`, { key: user.key }))
      .body;
    expect([first.logs.length, second.logs.length, second.nextCursor]).toEqual([2, 1, null]);
    expect((await app.call('GET', '/v1/webhooks/logs?state=failed', { key: user.key })).status).toBe(400);
    await receiver.stop();
  });
});
