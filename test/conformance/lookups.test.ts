import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import { subjects, fixtureOf } from './platforms.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let listing: UserFixture;
beforeAll(async () => {
  app = await startTestApp();
  listing = await createUserFixture(app, { platform: 'listing' });
});
afterAll(() => app.stop());

/** What is found on each platform under a type, a word and a country. */
const places: Record<string, [type: string, q: string, countryCode: string, name: RegExp][]> = {
  A: [
    ['country', 'Germany', 'DE', /^Germany$/],
    ['region', 'Cali', 'US', /^California$/],
    ['city', 'Berl', 'DE', /^Berlin$/],
    ['zip', '941', 'US', /^941/],
  ],
  B: [
    ['country', 'Germany', 'DE', /^Germany$/],
    ['region', 'Cali', 'US', /^California$/],
    ['city', 'Berl', 'DE', /^Berlin$/],
  ],
  C: [['country', 'Germany', 'DE', /^Germany$/]],
  D: [
    ['country', 'Germany', 'DE', /^Germany$/],
    ['region', 'Cali', 'US', /^California$/],
    ['city', 'Berl', 'DE', /^Berlin$/],
  ],
  E: [
    ['country', 'Germany', 'DE', /^Germany$/],
    ['region', 'Cali', 'US', /^California$/],
    ['city', 'Berl', 'DE', /^Berlin/],
  ],
  F: [
    ['country', 'Germany', 'DE', /^Germany$/],
    ['region', 'Cali', 'US', /^California/],
    ['city', 'Berl', 'DE', /^Berlin/],
  ],
};
const languages = new Set(['A', 'B', 'D']);
const words: Record<string, string> = { A: 'foot', B: 'travel', C: 'garden', D: 'food', E: 'garden', F: 'garden' };

type Row = Record<string, unknown>;
const targetingFields = 'key name type countryCode countryName region';
const upper = (row: Row): Row => ({ ...row, type: String(row['type']).toUpperCase() });

describe.each(subjects)('look-ups on platform $platform', (subject) => {
  const { platform } = subject;
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });
  const get = (path: string): Promise<Answer> => app.call('GET', path, { key: fixture.key });
  const ask = async (query: string): Promise<Answer['body']> => {
    const { body } = await app.graphql(query, {}, { key: fixture.key });
    expect(body.errors).toBeUndefined();
    return body.data;
  };

  it.each(places[platform] ?? [])(
    'find a %s by a part of its name, in its country only',
    async (type, q, code, name) => {
      const path = `/v1/ads/targeting/search?accountId=${fixture.accountId}&type=${type}&q=${q}`;
      const [bare, snake, camel, elsewhere] = await Promise.all(
        ['', `&country_code=${code}`, `&countryCode=${code.toLowerCase()}`, '&country_code=FR'].map((more) =>
          get(path + more),
        ),
      );
      expect(snake?.status).toBe(200);
      const results: Row[] = snake?.body.results;
      expect(results.some((row) => name.test(String(row['name'])) && row['type'] === type)).toBe(true);
      expect(results.every((row) => row['countryCode'] === code)).toBe(true);
      expect(camel?.body).toEqual(snake?.body);
      expect(bare?.body.results.map(({ key }: Row) => key)).toEqual(
        expect.arrayContaining(results.map(({ key }) => key)),
      );
      const keys = results.map(({ key }) => key);
      expect(elsewhere?.body.results.filter(({ key }: Row) => keys.includes(key))).toEqual([]);
      for (const argument of ['countryCode', 'country_code']) {
        const data =
          await ask(`{ targetingSearch(accountId: "${fixture.accountId}", type: ${type.toUpperCase()}, q: "${q}",
        ${argument}: "${code}") { ${targetingFields} } }`);
        expect(data.targetingSearch, argument).toEqual(results.map(upper));
      }
    },
  );

  it('find languages where the platform has a list of them, and else nothing', async () => {
    const path = `/v1/ads/targeting/search?accountId=${fixture.accountId}&type=language&q=germ`;
    const { status, body } = await get(path);
    expect(status).toBe(200);
    expect(body.results).toMatchObject(languages.has(platform) ? [{ name: 'German', type: 'language' }] : []);
  });

  it('find interests, the same on both APIs', async () => {
    const path = `/v1/ads/interests?accountId=${fixture.accountId}&q=${words[platform]}`;
    const { status, body } = await get(path);
    expect(status).toBe(200);
    expect(body.interests.length).toBeGreaterThan(0);
    expect(body.interests[0].name.toLowerCase()).toContain(words[platform]);
    const data = await ask(`{ interests(accountId: "${fixture.accountId}", q: "${words[platform]}") {
      id name audienceSizeMin audienceSizeMax path } }`);
    expect(data.interests).toEqual(body.interests);
  });

  it('take one of the connection’s ad accounts, and 422 any other', async () => {
    for (const path of ['targeting/search?type=country&q=Germany', `interests?q=${words[platform]}`]) {
      const asked = `/v1/ads/${path}&accountId=${fixture.accountId}&adAccountId=`;
      expect((await get(asked + fixture.adAccountIds.eur)).status, path).toBe(200);
      expect(await get(`${asked}999`), path).toMatchObject({ status: 422, body: { param: 'adAccountId' } });
    }
  });

  it('ask for ad accounts once an hour, and then again, whichever API is used', async () => {
    const own = await fixtureOf(app, subject);
    const count = async (run: () => Promise<unknown>): Promise<number> => {
      await fetch(`${app.sandbox.url}/ledger`, { method: 'DELETE' });
      await run();
      const { entries } = (await (await fetch(`${app.sandbox.url}/ledger`)).json()) as { entries: unknown[] };
      return entries.length;
    };
    const rest = (): Promise<Answer> =>
      app.call('GET', `/v1/ads/accounts?accountId=${own.accountId}`, { key: own.key });
    const graphql = (): Promise<Answer> =>
      app.graphql(
        `{ adAccounts(accountId: "${own.accountId}") { id accountId name currency timeZone isActive status statusReason budgetLimits { currency } } }`,
        {},
        { key: own.key },
      );
    let first: Answer | undefined;
    expect(
      await count(async () => {
        first = await rest();
      }),
    ).toBeGreaterThan(0);
    expect(
      await count(async () => {
        expect((await graphql()).body.data.adAccounts).toEqual(first?.body.accounts);
        await rest();
      }),
    ).toBe(0);
    const past = (ms: number) =>
      app.app.services.db.accounts.updateOne({ _id: own.accountId }, { adAccountsAt: new Date(Date.now() - ms) });
    await past(3_590_000);
    expect(await count(rest)).toBe(0);
    await past(3_601_000);
    expect(await count(graphql)).toBeGreaterThan(0);
  });
});

describe('an account of a platform without ads, one of another user and an unknown one', () => {
  const asked = (accountId: string) => ({
    rest: [
      `/v1/ads/targeting/search?type=city&q=berlin&accountId=${accountId}`,
      `/v1/ads/interests?q=foot&accountId=${accountId}`,
      `/v1/ads/accounts?accountId=${accountId}`,
    ],
    graphql: [
      `{ targetingSearch(type: CITY, q: "berlin", accountId: "${accountId}") { key } }`,
      `{ interests(q: "foot", accountId: "${accountId}") { id } }`,
      `{ adAccounts(accountId: "${accountId}") { id } }`,
    ],
  });

  it('404 from every look-up, on both APIs', async () => {
    const profiles = await createUserFixture(app, { platform: 'ephemeral-messaging' });
    const other = await createUserFixture(app);
    for (const [accountId, key] of [
      [listing.accountId, listing.key],
      [profiles.accountId, profiles.key],
      [other.accountId, listing.key],
      ['f'.repeat(24), listing.key],
    ] as const) {
      for (const path of asked(accountId).rest)
        expect(await app.call('GET', path, { key }), path).toMatchObject({
          status: 404,
          body: { code: 'account_not_found', param: 'accountId' },
        });
      for (const query of asked(accountId).graphql) {
        const { body } = await app.graphql(query, {}, { key });
        expect(body.errors, query).toMatchObject([{ extensions: { code: 'account_not_found', param: 'accountId' } }]);
      }
    }
  });
});

it('platforms says the same on both APIs, each row as the table has it', async () => {
  const { body } = await app.call('GET', '/v1/platforms', { key: listing.key });
  const query = `{ platforms { platform label accounts shapes goals callsToAction bidStrategies ownFields budgetMinimum
    exclusions keywordMatchTypes startPrecision budgetMinimumOfCampaign budgetLevels defaultBudgetLevel changeableBudgets endLevel removal canRemoveEnd devices urlMacros canChangeUrlParameters canDuplicate declarations { param values text }
    reporting { levels breakdowns { name levels granularities combinesWith } metrics conversionEvents historyDays longestReachDays deliveryDays conversionDays }
    rules { param text } ignored { param text } } }`;
  const { data, errors } = (await app.graphql(query, {}, { key: listing.key })).body;
  expect(errors).toBeUndefined();
  const inWords = (text: string): string => text.toLowerCase().replaceAll(/[_-]/g, '');
  expect(inWords(JSON.stringify(data.platforms))).toBe(inWords(JSON.stringify(body.platforms)));
  expect(body.platforms.map(({ platform }: Row) => platform)).toEqual(['A', 'B', 'C', 'D', 'E', 'F']);
  const audiences = ['excludedAudienceIds'];
  expect(body.platforms.map(({ exclusions, keywordMatchTypes }: Row) => [exclusions, keywordMatchTypes])).toEqual([
    [['excludedCountries', 'excludedRegions', 'excludedCities', ...audiences], []],
    [
      ['negativeKeywords', 'excludedCountries', 'excludedRegions', ...audiences],
      ['BROAD', 'PHRASE', 'EXACT'],
    ],
    [audiences, []],
    [audiences, []],
    [audiences, []],
    [['excludedCountries'], []],
  ]);
});
