import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { goalsOf, goodAdOf, received, subjects, fixtureOf, type Entry } from './platforms.ts';

type Body = Record<string, unknown>;
interface Shown {
  method: string;
  url: string;
  body: unknown;
}

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());

const writesOf = (entries: Entry[]): Entry[] => entries.filter(({ method }) => method !== 'GET');
/** The names of all members, and where lists stand. */
function membersOf(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return [`${at}[]`, ...value.flatMap((one) => membersOf(one, `${at}[]`))].toSorted();
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .flatMap(([name, member]) => [`${at}.${name}`, ...membersOf(member, `${at}.${name}`)])
    .toSorted();
}
/** The last part of a path. */
const endOf = (path: string): string => path.split('/').filter(Boolean).at(-1) ?? '';

describe.each(subjects)('a dry run on platform $platform', (subject) => {
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });
  const post = (body: Body): Promise<Answer> => app.call('POST', '/v1/ads/create', { key: fixture.key, body });
  /** Media go over in several requests of which the dry run shows the first; look-ups show nothing. */
  const isShown = ({ path }: { path: string }): boolean => !/upload|\/token|oauth|image|video|:search/i.test(path);

  it.each(goalsOf(subject))('for %s shows the very requests that the real one sends, in their order', async (goal) => {
    const body = goodAdOf(app, subject, fixture, goal);
    const dry = await post({ ...body, validateOnly: true });
    const shown = (dry.body.requests as Shown[]).filter(({ url }) => isShown({ path: url }));
    const real = writesOf(
      await received(app, subject, async () => {
        expect((await post(body)).status).toBe(201);
      }),
    ).filter(isShown);
    expect(real.map(({ method }) => method)).toEqual(shown.map(({ method }) => method));
    // Credentials are not shown.
    const addressOf = ({ path, query: { appsecret_proof: _proof, ...query } }: { path: string; query: Body }): string =>
      `${endOf(path)}?${new URLSearchParams(query as Record<string, string>).toString()}`;
    const shownAddress = ({ url }: Shown): unknown => {
      const { pathname, searchParams } = new URL(url);
      const end = endOf(pathname);
      // Ids are not known yet: they stand there in braces.
      return /%7B|\{/.test(end) ? expect.any(String) : `${end}?${searchParams.toString()}`;
    };
    expect(real.map(addressOf)).toEqual(shown.map(shownAddress));
    expect(real.map(({ body: sent }) => membersOf(sent))).toEqual(shown.map((one) => membersOf(one.body)));
  });

  it('holds no secret of the caller, the person or the installation', async () => {
    const { body } = await post({ ...goodAdOf(app, subject, fixture), validateOnly: true });
    const text = JSON.stringify(body);
    const { accessToken, accessTokenSecret, refreshToken, posting } = fixture.connection;
    const secrets = Object.entries(app.env)
      .filter(([name]) => /SECRET|DEVELOPER_TOKEN|ENCRYPTION|CLIENT_ID/.test(name))
      .map(([, value]) => value);
    for (const secret of [accessToken, accessTokenSecret, refreshToken, posting?.accessToken, fixture.key, ...secrets])
      if (secret) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/authorization|access_token|oauth_|developer-token|appsecret/i);
  });

  it('leaves nothing at the platform, in the records or under the key', async () => {
    const body = goodAdOf(app, subject, fixture);
    const before = await app.app.services.db.ads.countDocuments({ accountId: fixture.accountId });
    const headers = { 'Idempotency-Key': `dry-${subject.platform}` };
    const entries = await received(app, subject, async () => {
      const options = { key: fixture.key, body: { ...body, validateOnly: true }, headers };
      expect((await app.call('POST', '/v1/ads/create', options)).status).toBe(200);
    });
    expect(await app.app.services.db.ads.countDocuments({ accountId: fixture.accountId })).toBe(before);
    const asked = writesOf(entries);
    if (subject.platform === 'A')
      expect(asked).toMatchObject([{ body: { execution_options: ['validate_only'] }, answer: { success: true } }]);
    else if (subject.platform === 'B') expect(asked).toMatchObject([{ body: { validateOnly: true }, status: 200 }]);
    else expect(asked).toEqual([]);
    const real = await app.call('POST', '/v1/ads/create', { key: fixture.key, body, headers });
    expect(real.status).toBe(201);
  });

  it('answers the same on the other API', async () => {
    const { status: _status, ...body } = { ...goodAdOf(app, subject, fixture), validateOnly: true } as Body;
    const input = Object.fromEntries(
      Object.entries(body).map(([name, value]) => [
        name,
        ['goal', 'budgetType', 'callToAction'].includes(name) ? String(value).toUpperCase() : value,
      ]),
    );
    const query =
      'mutation ($input: CreateAdInput!) { createAd(input: $input) { valid ad { id } requests { method url body } } }';
    const { data, errors } = (await app.graphql(query, { input }, { key: fixture.key })).body;
    expect(errors).toBeUndefined();
    const steps = (list: Shown[]): string[] => list.map(({ method, url }) => `${method} ${new URL(url).pathname}`);
    expect(data.createAd).toMatchObject({ valid: true, ad: null });
    expect(steps(data.createAd.requests)).toEqual(steps((await post(body)).body.requests));
  });
});

describe('what only the platform knows', () => {
  it('is rejected by the dry run on B with the message of the real one', async () => {
    const subject = subjects.find(({ platform }) => platform === 'B');
    if (!subject) throw new Error('There is no platform B');
    const fixture = await fixtureOf(app, subject);
    const post = (body: Body): Promise<Answer> => app.call('POST', '/v1/ads/create', { key: fixture.key, body });
    const wrong = { ...goodAdOf(app, subject, fixture), interests: [{ id: '9876543210', name: 'Nothing' }] };
    const [dry, real] = [await post({ ...wrong, validateOnly: true }), await post(wrong)];
    expect(dry).toMatchObject({
      status: 400,
      body: { code: 'platform_api_error', platform: 'B', param: 'interests.0' },
    });
    expect(dry.body.details.fields).toEqual(real.body.details.fields);
  });

  it('is rejected by the dry run on A if the check needs no parent', async () => {
    const subject = subjects.find(({ platform }) => platform === 'A');
    if (!subject) throw new Error('There is no platform A');
    const fixture = await fixtureOf(app, subject);
    const post = (body: Body): Promise<Answer> => app.call('POST', '/v1/ads/create', { key: fixture.key, body });
    const path = `${app.sandbox.url}/control/faults`;
    const order = { platform: 'network-a', fault: 'policy_block', match: { method: 'POST', path: '/campaigns$' } };
    await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(order) });
    expect(await post({ ...goodAdOf(app, subject, fixture), validateOnly: true })).toMatchObject({
      status: 400,
      body: { code: 'platform_api_error', platform: 'A', platformError: { code: 368 } },
    });
  });
});
