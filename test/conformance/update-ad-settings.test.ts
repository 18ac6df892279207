import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import { sampleOf } from '../support/sample.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import * as graph from '../dev/sandbox/graph.ts';
import * as shortVideo from '../dev/sandbox/short-video.ts';
import { atPlatform } from './budgets-at-platform.ts';
import { discovered, goodAdOf, namesAt, received, subjects, fixtureOf, type Entry } from './platforms.ts';

type Body = Record<string, unknown>;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000 - 60_000).toISOString();

describe('a lifetime budget on D', () => {
  const subject = subjects.find(({ platform }) => platform === 'D');
  if (!subject) throw new Error('There is no platform D');
  let fixture: UserFixture;
  let adId: string;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
    const body = { ...goodAdOf(app, subject, fixture), budgetType: 'lifetime', budgetAmount: 120, endDate: inDays(5) };
    const made = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
    expect(made.status).toBe(201);
    adId = made.body.ad._id;
  });
  const put = (body: object): Promise<Answer> => app.call('PUT', `/v1/ads/${adId}`, { key: fixture.key, body });
  const fieldsOf = ({ body }: Answer): unknown => body.details?.fields;

  it.each([
    [{ budgetAmount: 99 }, { budgetAmount: ['must be at least 100 USD, 20 a day over 5 days'] }],
    [
      { endDate: inDays(7) },
      { endDate: ['is too late for the budget of 120: it must be at least 140 USD, 20 a day over 7 days'] },
    ],
    [{ budgetAmount: 150, endDate: inDays(8) }, { budgetAmount: ['must be at least 160 USD, 20 a day over 8 days'] }],
  ])('is not left with less than 20 a day over the whole run by %o, and nothing is sent', async (change, fields) => {
    const entries = await received(app, subject, async () => {
      const answer = await put(change);
      expect(answer.status).toBe(400);
      expect(fieldsOf(answer)).toEqual(fields);
    });
    expect(entries.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('is taken with enough of it', async () => {
    const answer = await put({ budgetAmount: 160, endDate: inDays(8) });
    expect(answer).toMatchObject({ status: 200, body: { ad: { budget: { amount: 160, type: 'lifetime' } } } });
    expect((await put({ endDate: inDays(6) })).status).toBe(200);
    expect((await put({ budgetAmount: 120 })).status).toBe(200);
  });

  it('takes a new name as the order took its first, without emoji', async () => {
    expect((await put({ name: 'Summer \u{1f33b}\u{1f1e9}\u{1f1ea} sale' })).status).toBe(200);
    const names = await namesAt(app, subject, subject.kinds.ad);
    expect(names.some((name) => /^Summer +sale [0-9a-f]{8}$/.test(name))).toBe(true);
  });
});

describe('the name of an ad on B', () => {
  it('is that of its ad group, and both are recorded', async () => {
    const subject = subjects.find(({ platform }) => platform === 'B');
    if (!subject) throw new Error('There is no platform B');
    const fixture = await fixtureOf(app, subject);
    const body = goodAdOf(app, subject, fixture);
    const { ad } = (await app.call('POST', '/v1/ads/create', { key: fixture.key, body })).body;
    const change = { name: 'Autumn' };
    expect(await app.call('PUT', `/v1/ads/${ad._id}`, { key: fixture.key, body: change })).toMatchObject({
      status: 200,
      body: { ad: { name: 'Autumn', adSetName: 'Autumn', campaignName: body['name'] } },
    });
    const tree = async (): Promise<Answer['body']> =>
      (await app.call('GET', '/v1/ads/tree?limit=100', { key: fixture.key })).body.campaigns[0];
    expect(await tree()).toMatchObject({ name: body['name'], adSets: [{ name: 'Autumn' }] });
    await discover(fixture);
    expect(await tree()).toMatchObject({ name: body['name'], adSets: [{ name: 'Autumn' }] });
  });
});

describe('a lower daily budget on D', () => {
  it('may count only from the next day of the ad account, which a warning says in both operations', async () => {
    const subject = subjects.find(({ platform }) => platform === 'D');
    if (!subject) throw new Error('There is no platform D');
    const fixture = await fixtureOf(app, subject);
    const { key } = fixture;
    const { ad } = (await app.call('POST', '/v1/ads/create', { key, body: goodAdOf(app, subject, fixture) })).body;
    const warningsOf = async (path: string, body: object): Promise<unknown> => {
      const answer = await app.call('PUT', path, { key, body });
      expect(answer).toMatchObject({ status: 200 });
      return answer.body.warnings;
    };
    const adSet = `/v1/ads/ad-sets/${ad.platformAdSetId}`;
    const own = { platform: subject.account };
    const lower = [{ param: 'budgetAmount', message: expect.stringMatching(/next day of the ad account/) }];
    expect(await warningsOf(`/v1/ads/${ad._id}`, { budgetAmount: 24 })).toEqual(lower);
    expect(await warningsOf(adSet, { ...own, budgetAmount: 23, validateOnly: true })).toEqual(lower);
    expect(await warningsOf(adSet, { ...own, budgetAmount: 22 })).toEqual(lower);
    expect(await warningsOf(adSet, { ...own, budgetAmount: 40 })).toBeUndefined();
  });
});

const discover = async (fixture: UserFixture): Promise<void> =>
  expect(await discovered(app, fixture)).toMatchObject({ status: 'completed' });

/** Sets the budget of an ad set to 77 a day, past the service. */
const setBudget: Record<string, (fixture: UserFixture, adSetId: string) => Promise<unknown>> = {
  A: ({ connection }, adSetId) =>
    graph.caller(app.sandbox.url, connection.accessToken)('POST', adSetId, { fields: { daily_budget: '7700' } }),
  D: ({ connection, adAccountIds }, adSetId) =>
    shortVideo.caller(app.sandbox.url, connection.accessToken)('POST', 'adgroup/update/', {
      advertiser_id: adAccountIds.usd,
      adgroup_id: adSetId,
      budget: 77,
    }),
};

describe.each(Object.keys(setBudget))('a budget that was changed at platform %s', (platform) => {
  it('shows with the ad that was made here as with its ad set after the next discovery', async () => {
    const subject = subjects.find(({ platform: name }) => name === platform);
    if (!subject) throw new Error(`There is no platform ${platform}`);
    const fixture = await fixtureOf(app, subject);
    const body = goodAdOf(app, subject, fixture);
    const { ad } = (await app.call('POST', '/v1/ads/create', { key: fixture.key, body })).body;
    await setBudget[platform]?.(fixture, ad.platformAdSetId);
    await discover(fixture);
    const budget = { amount: 77, type: 'daily' };
    const { campaigns } = (await app.call('GET', '/v1/ads/tree?limit=100', { key: fixture.key })).body;
    const own = campaigns.find((one: Body) => one['platformCampaignId'] === ad.platformCampaignId);
    expect(own).toMatchObject({ budget: null, adSets: [{ budget, ads: [{ _id: ad._id, budget }] }] });
  });
});

/** What a change with an end of null looks like on the wire. */
const withoutEnd: Record<string, (body: unknown) => boolean> = {
  A: (body) => (body as Body)['end_time'] === '0',
  B: (body) => {
    const [{ campaignOperation: change }] = (body as { mutateOperations: Body[] }).mutateOperations as [Body];
    return /"updateMask":"endDateTime"/.test(JSON.stringify(change)) && !/"endDateTime":/.test(JSON.stringify(change));
  },
  C: (body) => (body as Body[])[0]?.['end_time'] === null,
  D: (body) => (body as Body)['schedule_type'] === 'SCHEDULE_FROM_NOW' && !('schedule_end_time' in (body as Body)),
  F: (body) => {
    const { runSchedule } = (body as { patch: { $set: { runSchedule: Body } } }).patch.$set;
    return typeof runSchedule['start'] === 'number' && !('end' in runSchedule);
  },
};

describe.each(subjects)('the end of an ad on platform $platform', (subject) => {
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });
  const made = async (more: Body = {}): Promise<string> => {
    const body = { ...goodAdOf(app, subject, fixture), endDate: inDays(9), ...more };
    const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body.ad._id;
  };
  const endOf = async (adId: string): Promise<unknown> =>
    (await app.call('GET', `/v1/ads/${adId}`, { key: fixture.key })).body.ad.schedule.endDate;
  const query =
    'mutation ($adId: ID!, $input: UpdateAdInput!) { updateAd(adId: $adId, input: $input) { ad { schedule { endDate } } } }';
  const ways: [string, (adId: string, change: Body) => Promise<{ refused: unknown }>][] = [
    [
      'REST',
      async (adId, change) => {
        const { body } = await app.call('PUT', `/v1/ads/${adId}`, { key: fixture.key, body: change });
        return { refused: body.details?.fields };
      },
    ],
    [
      'GraphQL',
      async (adId, change) => {
        const { body } = await app.graphql(query, { adId, input: change }, { key: fixture.key });
        return { refused: body.errors?.[0].extensions.details?.fields };
      },
    ],
  ];
  const changesOf = (entries: Entry[]): unknown[] =>
    entries.filter(({ method, path }) => method !== 'GET' && !/:search|token/.test(path)).map(({ body }) => body);

  describe.each(sampleOf(ways, subject.platform === 'A' ? 2 : 1))('over %s', (_name, change) => {
    it('stays when it is left out of a change, and is not sent', async () => {
      const adId = await made();
      const end = await endOf(adId);
      const entries = await received(app, subject, async () => {
        expect(await change(adId, { budgetAmount: 40 })).toEqual({ refused: undefined });
      });
      expect(changesOf(entries).length).toBeGreaterThan(0);
      expect(JSON.stringify(changesOf(entries))).not.toMatch(/end_time|endDateTime|schedule_type|runSchedule/);
      expect([typeof end, await endOf(adId)]).toEqual(['string', end]);
    });

    it(`is ${subject.platform === 'E' ? 'kept with a reason' : 'removed'} if it is changed to null`, async () => {
      const adId = await made();
      const end = await endOf(adId);
      let refused: unknown;
      const entries = await received(app, subject, async () => {
        ({ refused } = await change(adId, { endDate: null }));
      });
      const isEndOf = withoutEnd[subject.platform];
      if (!isEndOf) {
        const why = 'cannot be removed on platform E: its ad sets always have an end; give a later one';
        expect([refused, changesOf(entries)]).toEqual([{ endDate: [why] }, []]);
        expect(await endOf(adId)).toBe(end);
        return;
      }
      expect(refused).toBeUndefined();
      expect(changesOf(entries).map(isEndOf), JSON.stringify(changesOf(entries))).toEqual([true]);
      expect(await endOf(adId)).toBeNull();
    });

    it('cannot be removed from a budget for the whole run, and nothing is sent', async () => {
      const adId = await made({ budgetType: 'lifetime', budgetAmount: 300 });
      let refused: unknown;
      const entries = await received(app, subject, async () => {
        ({ refused } = await change(adId, { endDate: null }));
      });
      expect(refused).toMatchObject({ endDate: [expect.stringMatching(/^cannot be removed.*end/)] });
      expect(changesOf(entries)).toEqual([]);
      expect(await endOf(adId)).toEqual(expect.any(String));
    });
  });

  it('shows as it is moved and removed at the platform after the next discovery', async () => {
    const adId = await made();
    const { ad } = (await app.call('GET', `/v1/ads/${adId}`, { key: fixture.key })).body;
    const adAccount = { id: fixture.adAccountIds.usd, name: '', currency: 'USD', timezone: 'UTC', isActive: true };
    const ref = { adAccount, campaignId: ad.platformCampaignId, adSetId: ad.platformAdSetId };
    const later = new Date(Date.UTC(new Date().getUTCFullYear() + 2, 5, 9, 23, 59, 59)).toISOString();
    const ends = withoutEnd[subject.platform] ? [later, null] : [later];
    for (const endDate of ends) {
      const run: Parameters<typeof atPlatform>[2]['run'] = (adapter, access) =>
        /[BC]/.test(subject.platform)
          ? adapter.updateCampaign(access, ref, { endDate })
          : adapter.updateAdSet(access, ref, { endDate });
      await atPlatform(app, subject, { fixture, run });
      await discover(fixture);
      const shown = await endOf(adId);
      // The account of B is five hours behind, in summer four.
      const near = shown === null ? null : Math.abs(Date.parse(String(shown)) - Date.parse(later)) < 6 * 3_600_000;
      expect(near, String(shown)).toBe(endDate === null ? null : true);
    }
  });

  it('is still gone after the next discovery', async () => {
    if (!withoutEnd[subject.platform]) return;
    const adId = await made();
    await app.call('PUT', `/v1/ads/${adId}`, { key: fixture.key, body: { endDate: null } });
    await discover(fixture);
    expect(await endOf(adId)).toBeNull();
    const { campaigns } = (await app.call('GET', '/v1/ads/tree?limit=100', { key: fixture.key })).body;
    const adSets = campaigns.flatMap(
      (campaign: { adSets: { ads: { _id: string }[]; endDate: unknown }[] }) => campaign.adSets,
    );
    const own = adSets.find(({ ads }: { ads: { _id: string }[] }) => ads.some(({ _id }) => _id === adId));
    expect(own).toMatchObject({ endDate: null });
  });
});
