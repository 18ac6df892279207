import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isMutation, pathsOf, type Operation } from '../../src/operations/operation.ts';
import { operations } from '../../src/operations/index.ts';
import type { Caller, Ctx } from '../../src/services/context.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { relayEvents } from '../../src/services/webhooks/relay-outbox.ts';
import { goodAd, createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;

beforeAll(async () => {
  app = await startTestApp();
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

const json = { 'Content-Type': 'application/json' };

describe('request ids', () => {
  it('come with every answer and stand in every error', async () => {
    const good = await app.call('GET', '/v1/me', { key: fixture.key });
    expect(good.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
    const bad = await app.call('GET', '/v1/me');
    expect(bad.body.requestId).toBe(bad.headers.get('x-request-id'));
    const graphql = await app.graphql('{ viewer { nope } }', {}, { key: fixture.key });
    expect(graphql.body.errors[0].extensions.requestId).toBe(graphql.headers.get('x-request-id'));
  });

  it.each([
    ['abc-123.x:y_z', true],
    ['x'.repeat(128), true],
    ['x'.repeat(129), false],
    ['with space', false],
  ])('of the caller are taken when they are safe: %s', async (id, isTaken) => {
    const { headers } = await app.call('GET', '/v1/me', { headers: { 'X-Request-Id': id } });
    expect(headers.get('x-request-id') === id).toBe(isTaken);
  });
});

describe('a caller without the permission', () => {
  const refused = operations.filter(
    ({ name, path }) => /^\/v1\/(api-keys|webhooks)/.test(path) || ['createProfile', 'liftStop'].includes(name),
  );

  it.each(refused)('403: $method $path, before the request is parsed', async ({ name, method, path }) => {
    const { key } = await fixture.keyWith({ scope: 'profiles', profileIds: [fixture.profileId] });
    const place = path.replaceAll(/\{\w+\}/g, 'x');
    const error = { code: 'insufficient_permissions' };
    const raw = method === 'GET' ? undefined : '{';
    expect(await app.call(method, place, { key, raw })).toMatchObject({ status: 403, body: error });
    const kind = method === 'GET' ? 'query' : 'mutation';
    const { body } = await app.graphql(`${kind} { ${name}(nothing: 1) { nothing } }`, {}, { key });
    expect(body.errors).toMatchObject([{ extensions: error }]);
  });

  /** All functions that return something of an operation, those of a later kind too. */
  const runs = ({ run, file, graphql: { cost: _cost, ...graphql } = {} }: Operation) =>
    [run, file?.run, ...Object.values(graphql)].filter((one) => typeof one === 'function') as Operation['run'][];
  const as = (caller: Partial<Caller>) => ({ ...app.app.services, caller }) as Ctx;

  it('cannot run these operations as one GraphQL field among others either, with a key that is restricted to profiles', async () => {
    expect(operations.filter(({ needsFullScope }) => needsFullScope)).toEqual(refused);
    for (const run of refused.flatMap(runs)) {
      const restricted = as({ scope: 'profiles', permission: 'read-write' });
      await expect(run(restricted, {} as never, '')).rejects.toMatchObject({ code: 'insufficient_permissions' });
    }
  });

  it('403: the deliveries of webhooks as a field among others', async () => {
    const { key } = await fixture.keyWith({ scope: 'profiles', profileIds: [fixture.profileId] });
    const query = '{ viewer { user { id } } webhookDeliveries { nodes { id } } }';
    const { body } = await app.graphql(query, {}, { key });
    expect(body).toMatchObject({ data: null, errors: [{ extensions: { code: 'insufficient_permissions' } }] });
  });

  it('403: a field whose answer is stored for another key', async () => {
    const body = { name: 'Stored' };
    const first = { key: fixture.key, body, headers: { 'Idempotency-Key': 'stored:made' } };
    expect((await app.call('POST', '/v1/profiles', first)).status).toBe(201);
    const mutation = `mutation {
      made: createProfile(input: { name: "Stored" }) { profile { id } }
      other: deleteProfile(profileId: "${'0'.repeat(24)}") { success }
    }`;
    const again = { headers: { 'Idempotency-Key': 'stored' } };
    const full = await app.graphql(mutation, {}, { key: fixture.key, ...again });
    expect(full.body.data.made).toMatchObject({ profile: { id: expect.any(String) } });
    const { key } = await fixture.keyWith({ scope: 'profiles', profileIds: [fixture.profileId] });
    const restricted = await app.graphql(mutation, {}, { key, ...again });
    expect(restricted.body.data.made).toBeNull();
    expect(restricted.body.errors[0]).toMatchObject({
      path: ['made'],
      extensions: { code: 'insufficient_permissions' },
    });
  });

  it('403: any operation that changes something, with a read-only key, before the request is parsed', async () => {
    const { key } = await fixture.keyWith({ permission: 'read' });
    for (const operation of operations.filter(isMutation)) {
      for (const run of runs(operation)) {
        const reading = as({ scope: 'full', permission: 'read' });
        await expect(run(reading, {} as never, '')).rejects.toMatchObject({ code: 'insufficient_permissions' });
      }
      const path = `${operation.path.replaceAll(/\{\w+\}/g, 'x')}?nothing=1`;
      const answer = await app.call(operation.method, path, { key });
      expect([path, answer.status]).toEqual([path, 403]);
    }
  });
});

describe('bodies', () => {
  const post = (raw: string | Uint8Array, headers: Record<string, string> = {}) =>
    app.call('POST', '/v1/profiles', { key: fixture.key, raw, headers });

  it.each([
    ['broken JSON', '{"name": ', 'invalid_json_body'],
    ['a list', '[]', 'invalid_json_body'],
    ['a text', '"name"', 'invalid_json_body'],
    ['null', 'null', 'invalid_json_body'],
    ['a member twice', '{"name": "a", "color": null, "n\\u0061me": "b"}', 'invalid_json_body'],
    ['no body at all', '', 'missing_required_field'],
  ])('400: %s', async (_what, raw, code) => {
    expect(await post(raw)).toMatchObject({ status: 400, body: { code } });
  });

  it('400: text that is not UTF-8', async () => {
    expect(await post(new Uint8Array([0x7b, 0xff, 0x7d]))).toMatchObject({
      status: 400,
      body: { code: 'invalid_json_body' },
    });
  });

  it('skip a byte order mark', async () => {
    expect((await post('\uFEFF{"name":"Marked"}')).status).toBe(201);
  });

  it('415: another content type', async () => {
    expect(await post('name=a', { 'Content-Type': 'application/x-www-form-urlencoded' })).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type' },
    });
  });

  it('413: more than 1 MiB, through both APIs', async () => {
    const raw = JSON.stringify({ name: 'x'.repeat(1024 * 1024) });
    expect(await post(raw)).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
    const graphql = await app.graphql(
      '{ viewer { user { id } } }',
      { big: 'x'.repeat(1024 * 1024) },
      { key: fixture.key },
    );
    expect(graphql).toMatchObject({ status: 413, body: { errors: [{ extensions: { code: 'body_too_large' } }] } });
  });

  it('413: more than 1 MiB in chunks without a length', async () => {
    const status = await new Promise((resolve, reject) => {
      const outgoing = request(`${app.url}/v1/profiles`, {
        method: 'POST',
        headers: { ...json, Authorization: `Bearer ${fixture.key}` },
      });
      outgoing.on('response', (response) => resolve(response.statusCode)).on('error', reject);
      for (let chunk = 0; chunk < 20; chunk++) outgoing.write('x'.repeat(100_000));
      outgoing.end();
    });
    expect(status).toBe(413);
  });

  it('do not reach the prototype of anything', async () => {
    const answer = await post('{"name":"a","__proto__":{"isDefault":true}}');
    expect(answer).toMatchObject({ status: 400, body: { code: 'unknown_field' } });
  });
});

describe('paths', () => {
  it('404: what is not there', async () => {
    expect(await app.call('GET', '/v1/nothing', { key: fixture.key })).toMatchObject({
      status: 404,
      body: { code: 'route_not_found', type: 'not_found' },
    });
    expect((await app.call('GET', '//v1/me', { key: fixture.key })).status).toBe(404);
    expect((await app.call('GET', '/v1//me', { key: fixture.key })).status).toBe(404);
  });

  it('serve a trailing slash as without it', async () => {
    expect((await app.call('GET', '/v1/me/', { key: fixture.key })).status).toBe(200);
  });

  it('405: name the methods that there are', async () => {
    const answer = await app.call('PATCH', '/v1/profiles', { key: fixture.key });
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(answer.headers.get('allow')).toBe('GET, POST');
  });

  it('405: name the methods of this very path, of every path that there is', async () => {
    const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];
    const shapes = new Set(operations.flatMap((row) => pathsOf(row)).map((path) => path.replaceAll(/\{\w+\}/g, '{}')));
    const wrong: string[] = [];
    for (const shape of shapes) {
      const own = operations.filter((row) => pathsOf(row).some((path) => path.replaceAll(/\{\w+\}/g, '{}') === shape));
      const allowed = [...new Set(own.map(({ method }) => String(method)))];
      const path = shape.replaceAll('{}', fixture.accountId);
      for (const method of methods.filter((one) => !allowed.includes(one))) {
        const headers = { Authorization: `Bearer ${fixture.key}` };
        const answer = await fetch(app.url + path, { method, headers });
        const said = `${answer.status} ${answer.headers.get('allow')?.split(', ').toSorted().join(', ')}`;
        if (said !== `405 ${allowed.toSorted().join(', ')}`) wrong.push(`${method} ${path}: ${said}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  const pages = ['/', '/style.css', '/docs', '/docs/swagger-ui.css', '/schema.graphql', '/v1/openapi.json'];
  const others = ['/healthz', '/readyz', '/metrics', '/v1/connect/network-a/callback'];
  it.each([...pages, ...others])('405: name the only method of %s, which serves HEAD as well', async (path) => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await fetch(app.url + path, { method });
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'GET']);
      expect(await answer.json()).toMatchObject({ code: 'method_not_allowed', error: `${path} supports GET` });
    }
    const head = await fetch(app.url + path, { method: 'HEAD' });
    expect(head.status).toBe((await fetch(app.url + path)).status);
  });

  it.each([...pages, '/v1/profiles', '/v1/platforms', '/v1/nothing', '/deliveries'])(
    'HEAD %s returns the headers of GET and keeps the connection',
    async (path) => {
      const logged = vi.spyOn(console, 'error');
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const headers = { Authorization: `Bearer ${fixture.key}` };
      const ports = new Set<number | undefined>();
      const send = (method: string): Promise<unknown[]> =>
        new Promise((resolve, reject) => {
          const sent = request(app.url + path, { method, agent, headers }, (response) => {
            ports.add(response.socket.localPort);
            const answer = [response.statusCode, response.headers['content-length']];
            response.resume().once('end', () => resolve(answer));
          });
          sent.once('error', reject).end();
        });
      const [get, head, again] = [await send('GET'), await send('HEAD'), await send('GET')];
      agent.destroy();
      expect([head, again]).toEqual([get, get]);
      expect(ports.size).toBe(1);
      expect(logged.mock.calls).toEqual([]);
      logged.mockRestore();
    },
  );

  it('HEAD /graphql returns what GET does, without its body', async () => {
    const headers = { Authorization: `Bearer ${fixture.key}` };
    const answerOf = async (method: string, query: string): Promise<unknown[]> => {
      const { status, headers: received } = await fetch(`${app.url}/graphql?${new URLSearchParams({ query })}`, {
        method,
        headers,
      });
      return [status, ...['content-type', 'content-length', 'allow'].map((name) => received.get(name))];
    };
    for (const query of ['{ eventTypes { name } }', 'mutation { liftStop(stopId: "x") { success } }', '{']) {
      expect(await answerOf('HEAD', query)).toEqual(await answerOf('GET', query));
    }
    const explorer = await fetch(`${app.url}/graphql`, { method: 'HEAD', headers: { Accept: 'text/html' } });
    expect([explorer.status, await explorer.text()]).toEqual([200, '']);
    const query = `subscription { deliveries(webhookId: "${'f'.repeat(24)}") { id } }`;
    const stream = await fetch(`${app.url}/graphql?${new URLSearchParams({ query })}`, {
      method: 'HEAD',
      headers: { ...headers, Accept: 'text/event-stream' },
    });
    expect([stream.status, await stream.text()]).toEqual([200, '']);
  });

  it('405: name the method of a mutation that was sent by GET', async () => {
    const query = new URLSearchParams({ query: 'mutation { createProfile(input: { name: "x" }) { profile { id } } }' });
    const answer = await app.call('GET', `/graphql?${query}`, { key: fixture.key });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('400: ids that are none', async () => {
    expect(await app.call('GET', '/v1/accounts/42', { key: fixture.key })).toMatchObject({
      status: 400,
      body: { param: 'accountId' },
    });
  });
});

describe('page and limit', () => {
  it.each([
    ['page=0x10', 'page', 'must be a number'],
    ['limit=1e1', 'limit', 'must be a number'],
    ['limit=%2010', 'limit', 'must be a number'],
    ['limit=', 'limit', 'must be a number'],
    ['page=1.5', 'page', 'must be a whole number'],
    ['limit=101', 'limit', 'must be at most 100'],
    ['page=-1', 'page', 'must be at least 1'],
    ['page=99999999999999999999', 'page', 'must be at most 9007199254740991'],
  ])('400: %s', async (query, field, problem) => {
    expect(await app.call('GET', `/v1/ads?${query}`, { key: fixture.key })).toMatchObject({
      status: 400,
      body: { code: 'invalid_field_value', param: field, details: { fields: { [field]: [problem] } } },
    });
  });
});

describe('a read-only key', () => {
  it('may ask everything and change nothing', async () => {
    const { key } = await fixture.keyWith({ permission: 'read' });
    for (const path of ['/v1/me', '/v1/profiles', '/v1/accounts', '/v1/ads', '/v1/api-keys']) {
      expect((await app.call('GET', path, { key })).status).toBe(200);
    }
    const writes: [string, string][] = [
      ['POST', '/v1/profiles'],
      ['PUT', `/v1/profiles/${fixture.profileId}`],
      ['DELETE', `/v1/profiles/${fixture.profileId}`],
      ['POST', '/v1/ads/create'],
      ['DELETE', `/v1/api-keys/${fixture.keyId}`],
    ];
    for (const [method, path] of writes) {
      expect(await app.call(method, path, { key, raw: 'not even JSON' })).toMatchObject({
        status: 403,
        body: { code: 'insufficient_permissions' },
      });
    }
  });

  it('has mutations refused with 403 before anything runs', async () => {
    const { key } = await fixture.keyWith({ permission: 'read' });
    const answer = await app.graphql(
      'mutation { createProfile(input: { name: "Never" }) { profile { id } } }',
      {},
      { key },
    );
    expect(answer).toMatchObject({
      status: 403,
      body: { errors: [{ extensions: { code: 'insufficient_permissions' } }] },
    });
    expect(await app.app.services.db.profiles.countDocuments({ name: 'Never' })).toBe(0);
  });
});

describe('the order of refusals', () => {
  it.each([
    ['a literal of another type', 'mutation { createProfile(input: { name: 5 }) { profile { id } } }'],
    ['a missing field', 'mutation { createProfile(input: {}) { profile { id } } }'],
    ['an unknown mutation', 'mutation { nope }'],
  ])('is the key first, then the request: %s', async (_what, query) => {
    const { key } = await fixture.keyWith({ permission: 'read' });
    const answer = await app.graphql(query, {}, { key });
    expect(answer).toMatchObject({
      status: 403,
      body: { errors: [{ extensions: { code: 'insufficient_permissions' } }] },
    });
    expect((await app.graphql(query, {}, { key: fixture.key })).status).toBe(400);
    expect((await app.graphql(query, {}, { key })).status).toBe(403);
  });
});

describe('names', () => {
  it.each([
    ['half a surrogate pair', '\ud800', 'must be well-formed Unicode'],
    ['NUL', 'a\0b', 'must not hold control characters'],
    ['a header', 'Shop\r\nX-Evil: 1', 'must be one line'],
  ])('400: %s', async (_what, name, problem) => {
    for (const path of ['/v1/profiles', '/v1/api-keys']) {
      const { status, body } = await app.call('POST', path, { key: fixture.key, body: { name } });
      expect({ status, fields: body.details.fields }).toEqual({ status: 400, fields: { name: [problem] } });
    }
  });

  it('take any script', async () => {
    const name = 'Søren 商店 👩‍👧 مرحبا';
    expect(await app.call('POST', '/v1/profiles', { key: fixture.key, body: { name } })).toMatchObject({
      status: 201,
      body: { profile: { name } },
    });
  });
});

describe('Idempotency-Key', () => {
  const create = (body: object, key: string) =>
    app.call('POST', '/v1/profiles', { key: fixture.key, body, headers: { 'Idempotency-Key': key } });

  it('answers the stored success again, whatever the order of keys', async () => {
    const first = await create({ name: 'Once', color: '#000000' }, 'k1');
    const again = await create({ color: '#000000', name: 'Once' }, 'k1');
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('422: refuses another body or another operation', async () => {
    await create({ name: 'Two' }, 'k2');
    expect(await create({ name: 'Three' }, 'k2')).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    });
    const other = await app.call('POST', '/v1/api-keys', {
      key: fixture.key,
      body: { name: 'Two' },
      headers: { 'Idempotency-Key': 'k2' },
    });
    expect(other.status).toBe(422);
  });

  it('is shared by both APIs', async () => {
    const first = await create({ name: 'Both' }, 'k3');
    const query = 'mutation ($input: CreateProfileInput!) { createProfile(input: $input) { profile { id } } }';
    const again = await app.graphql(
      query,
      { input: { name: 'Both' } },
      { key: fixture.key, headers: { 'Idempotency-Key': 'k3' } },
    );
    expect(again.body.data.createProfile.profile.id).toBe(first.body.profile._id);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('is free again after a refusal', async () => {
    expect((await create({ name: '' }, 'k4')).status).toBe(400);
    expect((await create({ name: 'Default' }, 'k4')).status).toBe(409);
    expect((await create({ name: 'Four' }, 'k4')).status).toBe(201);
  });

  it('covers each of several mutations by its alias', async () => {
    const query =
      'mutation { a: createProfile(input: { name: "A1" }) { profile { id } } b: createProfile(input: { name: "B1" }) { profile { id } } }';
    const options = { key: fixture.key, headers: { 'Idempotency-Key': 'k5' } };
    const first = await app.graphql(query, {}, options);
    expect((await app.graphql(query, {}, options)).body.data).toEqual(first.body.data);
  });

  it('replays a key without the key', async () => {
    const call = () =>
      app.call('POST', '/v1/api-keys', {
        key: fixture.key,
        body: { name: 'secret' },
        headers: { 'Idempotency-Key': 'k6' },
      });
    const first = await call();
    const again = await call();
    expect(first.body.apiKey.key).toMatch(/^sk_/);
    const { key: _key, ...rest } = first.body.apiKey;
    expect(again.body.apiKey).toEqual(rest);
    const stored = await app.app.services.db.idempotency.find({}).lean();
    expect(JSON.stringify(stored)).not.toContain(first.body.apiKey.key);
  });

  it('makes one ad and one event out of fifty calls at once (R22)', async () => {
    const body = { ...goodAd(fixture), name: 'Fifty' };
    const calls = Array.from({ length: 50 }, () =>
      app.call('POST', '/v1/ads/create', { key: fixture.key, body, headers: { 'Idempotency-Key': 'k7' } }),
    );
    const answers = await Promise.all(calls);
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    const made = answers.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ body: { ad } }) => ad._id)).size).toBe(1);
    const published = async () => {
      await relayEvents(app.app.services);
      const events = await app.app.services.db.webhookEvents.find({ type: 'ad.created' }).lean();
      return events.filter(({ body: text }) => text.includes(made[0]?.body.ad._id)).length;
    };
    await expect.poll(published).toBe(1);
    const list = await app.call('GET', '/v1/ads?limit=100', { key: fixture.key });
    expect(list.body.ads.filter(({ name }: { name: string }) => name === 'Fifty')).toHaveLength(1);
  });

  it.each(['', 'x'.repeat(256), 'with space'])('400: refuses a key that is none', async (key) => {
    expect(await create({ name: 'Bad key' }, key)).toMatchObject({ status: 400, body: { param: 'Idempotency-Key' } });
  });

  it('is left alone by dry runs', async () => {
    const headers = { 'Idempotency-Key': 'k8' };
    const body = { ...goodAd(fixture), name: 'Dry' };
    await app.call('POST', '/v1/ads/create', { key: fixture.key, body: { ...body, validateOnly: true }, headers });
    expect((await app.call('POST', '/v1/ads/create', { key: fixture.key, body, headers })).status).toBe(201);
  });
});

describe('secrets', () => {
  it('are stored only hashed or encrypted', async () => {
    const { db } = app.app.services;
    const all = await Promise.all([
      db.apiKeys.find().lean(),
      db.accounts.find().lean(),
      db.ads.find().lean(),
      db.idempotency.find().lean(),
    ]);
    const text = JSON.stringify(all);
    expect(text).not.toContain(fixture.key);
    expect(text).not.toContain(fixture.token);
  });

  it('are nowhere in what the sandbox shows', async () => {
    const text =
      (await (await fetch(`${app.sandbox.url}/ledger`)).text()) + (await (await fetch(app.sandbox.url)).text());
    expect(text).not.toContain(fixture.token);
  });
});
