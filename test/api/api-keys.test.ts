import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';
import { eventsIn } from '../support/outbox.ts';

let app: TestApp;
let fixture: UserFixture;

beforeAll(async () => {
  // Without workers, so that an event stays where its change was written.
  app = await startTestApp({ ROLE: 'api' });
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

const create = (body: object, key = fixture.key) => app.call('POST', '/v1/api-keys', { key, body });
const me = (key: string) => app.call('GET', '/v1/me', { key });
const dayMs = 86_400_000;

describe('POST /v1/api-keys', () => {
  describe('201', () => {
    it('answers the full key this once, and it works', async () => {
      const { status, body } = await create({ name: 'laptop' });
      expect(status).toBe(201);
      expect(Object.keys(body).toSorted()).toEqual(['apiKey', 'message']);
      const { key, ...record } = body.apiKey;
      expect(key).toMatch(/^sk_[0-9a-f]{64}$/);
      expect(record).toMatchObject({
        name: 'laptop',
        scope: 'full',
        permission: 'read-write',
        profileIds: [],
        expiresAt: null,
        lastUsedAt: null,
      });
      expect(record.keyPreview).toBe(`${key.slice(0, 11)}...${key.slice(-8)}`);
      expect((await me(key)).status).toBe(200);
      const stored = await app.app.services.db.apiKeys.findOne({ _id: record.id }).lean();
      expect(JSON.stringify(stored)).not.toContain(key);
    });

    it('ends the key after so many days', async () => {
      const { body } = await create({ name: 'short', expiresIn: 30 });
      const left = Date.parse(body.apiKey.expiresAt) - Date.now();
      expect(Math.abs(left - 30 * dayMs)).toBeLessThan(60_000);
    });

    it('restricts a key to profiles', async () => {
      const { body } = await create({ name: 'shop only', scope: 'profiles', profileIds: [fixture.profileId] });
      expect(body.apiKey).toMatchObject({ scope: 'profiles', profileIds: [fixture.profileId] });
    });

    it.each([1, 3650])('takes %i days', async (expiresIn) => {
      expect((await create({ name: 'edge', expiresIn })).status).toBe(201);
    });
  });

  describe('400', () => {
    it.each([
      ['no name', {}, 'name', 'missing_required_field'],
      ['an empty name', { name: '  ' }, 'name', 'invalid_field_value'],
      ['a long name', { name: 'x'.repeat(101) }, 'name', 'invalid_field_value'],
      ['zero days', { name: 'a', expiresIn: 0 }, 'expiresIn', 'invalid_field_value'],
      ['too many days', { name: 'a', expiresIn: 3651 }, 'expiresIn', 'invalid_field_value'],
      ['half a day', { name: 'a', expiresIn: 0.5 }, 'expiresIn', 'invalid_field_value'],
      ['an unknown scope', { name: 'a', scope: 'some' }, 'scope', 'invalid_field_value'],
      ['an unknown permission', { name: 'a', permission: 'write' }, 'permission', 'invalid_field_value'],
      ['scope profiles without profiles', { name: 'a', scope: 'profiles' }, 'profileIds', 'missing_required_field'],
      ['profiles without the scope', { name: 'a', profileIds: ['a'.repeat(24)] }, 'profileIds', 'invalid_field_value'],
      ['an unknown field', { name: 'a', permissions: 'read' }, 'permissions', 'unknown_field'],
    ])('refuses %s', async (_what, body, param, code) => {
      expect(await create(body)).toMatchObject({ status: 400, body: { code, param } });
    });

    it('names foreign profiles', async () => {
      const other = await createUserFixture(app);
      const answer = await create({ name: 'a', scope: 'profiles', profileIds: [fixture.profileId, other.profileId] });
      expect(answer).toMatchObject({ status: 400, body: { param: 'profileIds' } });
      expect(answer.body.error).toContain(other.profileId);
      expect(answer.body.error).not.toContain(fixture.profileId);
    });
  });

  describe('401', () => {
    it.each([
      ['no header', undefined, 'missing_credentials', 'Authorization'],
      ['an unknown key', `Bearer sk_${'0'.repeat(64)}`, 'invalid_credentials', 'unknown'],
      ['another scheme', 'Basic abc', 'invalid_credentials', 'Bearer'],
      ['a key without its prefix', `Bearer ${'a'.repeat(64)}`, 'invalid_credentials', 'sk_'],
    ])('refuses %s', async (_what, authorization, code, says) => {
      const headers: Record<string, string> = authorization ? { Authorization: authorization } : {};
      const answer = await app.call('POST', '/v1/api-keys', { body: { name: 'a' }, headers });
      expect(answer).toMatchObject({ status: 401, body: { code, type: 'authentication_error' } });
      expect(answer.body.error).toContain(says);
    });

    it('refuses an expired key in the words of an unknown one', async () => {
      const { key } = await fixture.keyWith({ expiresAt: new Date(Date.now() - 1000) });
      const [expired, unknown] = await Promise.all([me(key), me(`sk_${'0'.repeat(64)}`)]);
      expect(expired).toMatchObject({ status: 401, body: { error: unknown.body.error } });
    });
  });

  describe('403', () => {
    it('refuses a read-only key before it looks at the body', async () => {
      const { key } = await fixture.keyWith({ permission: 'read' });
      expect(await create({ nonsense: 1 }, key)).toMatchObject({
        status: 403,
        body: { code: 'insufficient_permissions' },
      });
    });

    it('refuses a key of scope profiles: keys belong to the user', async () => {
      const { key } = await fixture.keyWith({ scope: 'profiles', profileIds: [fixture.profileId] });
      expect((await create({ name: 'a' }, key)).status).toBe(403);
      expect((await app.call('GET', '/v1/api-keys', { key })).status).toBe(403);
    });
  });
});

describe('GET /v1/api-keys', () => {
  it('lists what is not revoked, newest first, without keys', async () => {
    const own = await createUserFixture(app);
    const { body } = await create({ name: 'second' }, own.key);
    const list = await app.call('GET', '/v1/api-keys', { key: own.key });
    expect(list.body.apiKeys.map(({ name }: { name: string }) => name)).toEqual(['second', 'test']);
    expect(JSON.stringify(list.body)).not.toContain(body.apiKey.key);
  });
});

describe('DELETE /v1/api-keys/{keyId}', () => {
  it('ends a key at once, although it was used a moment ago', async () => {
    const { id, key } = await fixture.keyWith({});
    expect((await me(key)).status).toBe(200);
    expect(await app.call('DELETE', `/v1/api-keys/${id}`, { key: fixture.key })).toMatchObject({
      status: 200,
      body: { success: true },
    });
    expect((await me(key)).status).toBe(401);
  });

  it('keeps an event of it', async () => {
    const { id } = await fixture.keyWith({});
    await app.call('DELETE', `/v1/api-keys/${id}`, { key: fixture.key });
    const stored = await app.app.services.db.apiKeys.findOne({ _id: id }).lean();
    expect(eventsIn(stored).map(({ type }) => type)).toEqual(['api_key.created', 'api_key.revoked']);
  });

  it("answers 404 for unknown, revoked and other people's keys alike", async () => {
    const other = await createUserFixture(app);
    for (const id of ['f'.repeat(24), other.keyId]) {
      expect(await app.call('DELETE', `/v1/api-keys/${id}`, { key: fixture.key })).toMatchObject({
        status: 404,
        body: { code: 'api_key_not_found' },
      });
    }
    expect((await me(other.key)).status).toBe(200);
  });
});

describe('POST /v1/api-keys/{keyId}/rotate', () => {
  const rotate = (id: string, body: object = {}) =>
    app.call('POST', `/v1/api-keys/${id}/rotate`, { key: fixture.key, body });

  it('makes a new key with the same settings; the old one lives on for a day', async () => {
    const old = await fixture.keyWith({ permission: 'read', name: 'reader' });
    const { status, body } = await rotate(old.id);
    expect(status).toBe(201);
    expect(body.apiKey).toMatchObject({ name: 'reader', permission: 'read' });
    expect((await me(body.apiKey.key)).status).toBe(200);
    expect((await me(old.key)).status).toBe(200);
    expect(Math.abs(Date.parse(body.previousExpiresAt) - Date.now() - dayMs)).toBeLessThan(60_000);
  });

  it('ends the old one at once without an overlap', async () => {
    const old = await fixture.keyWith({});
    await me(old.key);
    await rotate(old.id, { overlapHours: 0 });
    expect((await me(old.key)).status).toBe(401);
  });

  it('never lets the old one outlive its own end', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000);
    const old = await fixture.keyWith({ expiresAt });
    expect((await rotate(old.id)).body.previousExpiresAt).toBe(expiresAt.toISOString());
  });

  it.each([-1, 169, 1.5])('refuses an overlap of %s hours', async (overlapHours) => {
    const old = await fixture.keyWith({});
    expect(await rotate(old.id, { overlapHours })).toMatchObject({ status: 400, body: { param: 'overlapHours' } });
  });

  it('answers 404 for an unknown key', async () => {
    expect((await rotate('f'.repeat(24))).status).toBe(404);
  });
});

describe('GET /v1/me', () => {
  it('says who asks and what the key may do', async () => {
    const { body } = await me(fixture.key);
    expect(body).toMatchObject({
      user: { id: fixture.userId, plan: 'usage-based', hasAdsAccess: true, profileLimit: null },
      key: { id: fixture.keyId, permission: 'read-write' },
    });
    expect(JSON.stringify(body)).not.toContain(fixture.key);
  });

  it('notes the last use of a key', async () => {
    const { id, key } = await fixture.keyWith({});
    await me(key);
    await expect
      .poll(async () => (await app.app.services.db.apiKeys.findOne({ _id: id }).lean())?.lastUsedAt)
      .toBeInstanceOf(Date);
  });
});
