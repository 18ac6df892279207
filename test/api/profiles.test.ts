import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

const create = (body: object, key = fixture.key) => app.call('POST', '/v1/profiles', { key, body });

describe('POST /v1/profiles', () => {
  it('makes a profile', async () => {
    const { status, body } = await create({ name: ' Bakery ', description: 'Bread', color: '#1a2b3c' });
    expect(status).toBe(201);
    expect(body.profile).toMatchObject({
      name: 'Bakery',
      description: 'Bread',
      color: '#1a2b3c',
      isDefault: false,
      isOverLimit: false,
      userId: fixture.userId,
    });
  });

  it.each([
    ['no name', {}, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a name of zero-width characters', { name: '\u200b\u2060' }, 'name'],
    ['a colour that is none', { name: 'a', color: 'red' }, 'color'],
    ['a long description', { name: 'a', description: 'x'.repeat(501) }, 'description'],
    ['an unknown field', { name: 'a', colour: '#000000' }, 'colour'],
  ])('400: refuses %s', async (_what, body, param) => {
    expect(await create(body)).toMatchObject({ status: 400, body: { param } });
  });

  it('409: refuses a name that is taken', async () => {
    await create({ name: 'Zoë' });
    for (const name of ['Zoë', ' Zoë', 'Zoe\u0308'])
      expect(await create({ name })).toMatchObject({
        status: 409,
        body: { code: 'profile_name_conflict', param: 'name' },
      });
  });

  it('403: holds the limit of the plan when twenty requests come at once', async () => {
    const small = await createUserFixture(app, { plan: 'build' });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => create({ name: `P${at}` }, small.key)));
    const refused = answers.filter(({ status }) => status === 403);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(9);
    expect(refused.map(({ body }) => body.code)).toEqual(Array.from({ length: 11 }, () => 'profile_limit_exceeded'));
    expect(await app.app.services.db.profiles.countDocuments({ userId: small.userId })).toBe(10);
  });

  it('403: a restricted key cannot make one', async () => {
    const { key } = await fixture.keyWith({ scope: 'profiles', profileIds: [fixture.profileId] });
    expect((await create({ name: 'New' }, key)).status).toBe(403);
  });
});

describe('GET /v1/profiles', () => {
  it('returns pages with their position', async () => {
    const own = await createUserFixture(app);
    for (const name of ['A', 'B', 'C']) await create({ name }, own.key);
    const { body } = await app.call('GET', '/v1/profiles?page=2&limit=3', { key: own.key });
    expect(body.profiles.map(({ name }: { name: string }) => name)).toEqual(['C']);
    expect(body.pagination).toEqual({ page: 2, limit: 3, total: 4, totalIsExact: true, pages: 2, nextCursor: null });
  });

  it.each(['page=0', 'limit=0', 'limit=101', 'page=x', 'filter=a'])(
    '400: refuses %s instead of bending it',
    async (query) => {
      expect((await app.call('GET', `/v1/profiles?${query}`, { key: fixture.key })).status).toBe(400);
    },
  );

  it('shows a restricted key its own profiles only', async () => {
    await create({ name: 'Hidden' });
    const { key } = await fixture.keyWith({ scope: 'profiles', profileIds: [fixture.profileId] });
    const { body } = await app.call('GET', '/v1/profiles', { key });
    expect(body.profiles.map(({ _id }: { _id: string }) => _id)).toEqual([fixture.profileId]);
  });

  it('marks those beyond the plan, oldest kept', async () => {
    const own = await createUserFixture(app);
    for (const name of ['A', 'B']) await create({ name }, own.key);
    await app.app.services.db.users.updateOne({ _id: own.userId }, { $set: { plan: 'free' } });
    const { key } = await own.keyWith({});
    const { body } = await app.call('GET', '/v1/profiles', { key });
    expect(body.profiles.map(({ isOverLimit }: { isOverLimit: boolean }) => isOverLimit)).toEqual([false, false, true]);
  });
});

describe('PUT /v1/profiles/{profileId}', () => {
  const update = (id: string, body: object) => app.call('PUT', `/v1/profiles/${id}`, { key: fixture.key, body });

  it('changes the given fields only; null clears', async () => {
    const { profile } = (await create({ name: 'Before', description: 'kept', color: '#000000' })).body;
    const { body } = await update(profile._id, { name: 'After', color: null });
    expect(body.profile).toMatchObject({ name: 'After', description: 'kept', color: null });
  });

  it('lets the path win over the body', async () => {
    const { profile } = (await create({ name: 'Mine' })).body;
    const { body } = await update(profile._id, { name: 'Still mine', profileId: fixture.profileId });
    expect(body.profile._id).toBe(profile._id);
  });

  it('409: refuses a taken name', async () => {
    await create({ name: 'One' });
    const { profile } = (await create({ name: 'Two' })).body;
    expect((await update(profile._id, { name: 'One' })).status).toBe(409);
  });

  it("404: another person's profile and one outside the key look the same", async () => {
    const other = await createUserFixture(app);
    expect(await update(other.profileId, { name: 'x' })).toMatchObject({
      status: 404,
      body: { code: 'profile_not_found' },
    });
  });
});

describe('DELETE /v1/profiles/{profileId}', () => {
  it('deletes an empty one', async () => {
    const { profile } = (await create({ name: 'Short-lived' })).body;
    expect(await app.call('DELETE', `/v1/profiles/${profile._id}`, { key: fixture.key })).toMatchObject({
      status: 200,
      body: { success: true },
    });
    expect((await app.call('GET', `/v1/profiles/${profile._id}`, { key: fixture.key })).status).toBe(404);
  });

  it('409: keeps one with accounts', async () => {
    expect(await app.call('DELETE', `/v1/profiles/${fixture.profileId}`, { key: fixture.key })).toMatchObject({
      status: 409,
      body: { code: 'profile_not_empty' },
    });
  });
});
