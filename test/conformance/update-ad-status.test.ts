import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayEndBy } from '../../src/lib/account-time.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import { sampleOf } from '../support/sample.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { campaignNameAt, campaignSwitch, discovered, goodAdOf, namesAt, subjects, fixtureOf } from './platforms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

describe.each(subjects)('platform $platform', (subject) => {
  let fixture: UserFixture;
  let made: Answer['body'];
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
    const body = goodAdOf(app, subject, fixture);
    made = (await app.call('POST', '/v1/ads/create', { key: fixture.key, body })).body.ad;
  });
  const put = (path: string, body: object): Promise<Answer> =>
    app.call('PUT', `/v1/ads/${path}`, { key: fixture.key, body });

  it('changes budget and end', async () => {
    const later = new Date(Date.now() + 9 * 86_400_000);
    // Campaigns on B end with a day of the ad account.
    const endDate = (subject.platform === 'B' ? dayEndBy(later, 'America/New_York') : later).toISOString();
    const answer = await put(made._id, { budgetAmount: 40, endDate });
    expect(answer).toMatchObject({
      status: 200,
      body: { ad: { budget: { amount: 40, type: 'daily' }, schedule: { endDate } } },
    });
  });

  it('raises and lowers a total budget, and what limits the campaign with it', async () => {
    const endDate = new Date(Date.now() + 10 * 86_400_000).toISOString();
    const body = { ...goodAdOf(app, subject, fixture), budgetAmount: 300, budgetType: 'lifetime', endDate };
    const { ad } = (await app.call('POST', '/v1/ads/create', { key: fixture.key, body })).body;
    for (const budgetAmount of [500, 250]) {
      const answer = await put(ad._id, { budgetAmount });
      expect(answer).toMatchObject({ status: 200, body: { ad: { budget: { amount: budgetAmount } } } });
      if (subject.platform !== 'E') continue;
      const response = await fetch(
        `${app.sandbox.url}/control/${subject.simulated}/objects?type=${subject.kinds.campaign}`,
      );
      const { objects } = (await response.json()) as { objects: Record<string, unknown>[] };
      const micro = budgetAmount * 1_000_000;
      expect(objects.find(({ name }) => name === campaignNameAt(ad))).toMatchObject({
        daily_budget_amount_local_micro: micro,
        total_budget_amount_local_micro: micro,
      });
    }
  });

  it('changes the name, keeping its suffix, where ads have one', async () => {
    const answer = await put(made._id, { name: 'Renamed' });
    if (subject.platform === 'E') {
      expect(answer).toMatchObject({ status: 501, body: { code: 'unsupported_platform_operation', platform: 'E' } });
      return;
    }
    expect(answer).toMatchObject({ status: 200, body: { ad: { name: 'Renamed' } } });
    const all = await Promise.all([subject.kinds.ad, subject.kinds.adSet].map((kind) => namesAt(app, subject, kind)));
    expect(all.flat().some((name) => /^Renamed [0-9a-f]{8}$/.test(name))).toBe(true);
  });

  it('switches an ad off and on, where the platform can', async () => {
    const off = await put(`${made._id}/status`, { status: 'PAUSED' });
    if (subject.platform === 'E') {
      expect(off.status).toBe(501);
      return;
    }
    expect(off).toMatchObject({ status: 200, body: { ad: { status: 'paused' } } });
    expect(await put(`${made._id}/status`, { status: 'ACTIVE' })).toMatchObject({ body: { ad: { status: 'active' } } });
  });

  it('switches a campaign off and on', async () => {
    const path = `campaigns/${made.platformCampaignId}/status`;
    expect(await put(path, { platform: subject.account, status: 'PAUSED' })).toMatchObject({
      status: 200,
      body: { success: true },
    });
    expect(await campaignSwitch(app, subject, campaignNameAt(made))).toMatch(/^(PAUSED|DISABLE)$/);
    expect(await put(path, { platform: subject.account, status: 'ACTIVE' })).toMatchObject({ status: 200 });
    expect(await campaignSwitch(app, subject, campaignNameAt(made))).toMatch(/^(ACTIVE|ENABLED?)$/);
  });

  it('says 404 for an unknown campaign', async () => {
    const answer = await put('campaigns/999999/status', { platform: subject.account, status: 'PAUSED' });
    expect(answer).toMatchObject({ status: 404, body: { code: 'campaign_not_found', param: 'campaignId' } });
  });
});

/** Letters name what is switched (ad, ad set or campaign), signs how. */
const allSequences = [
  's- a- s+',
  's- a- a+ s+',
  's- a- a+',
  'a- s- a+ s+',
  'a- s- s+',
  'a- s- s+ a+',
  'a- c- c+',
  'a- c- a+ c+',
  's- c- c+',
  's- c- s+ c+',
  's- c- c+ a- a+',
  's- c- c+ s+',
  'c- s- c+ a- a+ s+',
  'c- s- a- a+ c+',
  'c- s- a- a+ c+ s+',
  'c- a- s- c+ s+',
  'c- a- s- s+ c+ a+',
];

describe.each(subjects.filter(({ platform }) => platform !== 'E'))(
  'the statuses recorded on platform $platform',
  (subject) => {
    const sequences = subject.platform === 'A' ? sampleOf(allSequences, 6) : sampleOf(allSequences.slice(0, 5), 2);
    let fixture: UserFixture;
    let ads: Answer['body'][];
    beforeAll(async () => {
      fixture = await fixtureOf(app, subject);
      ads = [];
      for (const _ of sequences) {
        const body = goodAdOf(app, subject, fixture);
        ads.push((await app.call('POST', '/v1/ads/create', { key: fixture.key, body })).body.ad);
      }
    });
    const paths = (ad: Answer['body']): Record<string, string> => ({
      a: `${ad._id}/status`,
      s: `ad-sets/${ad.platformAdSetId}`,
      c: `campaigns/${ad.platformCampaignId}`,
    });
    async function run(ad: Answer['body'], sequence: string): Promise<void> {
      for (const [level = '', sign] of sequence.split(' ')) {
        const status = sign === '+' ? 'ACTIVE' : 'PAUSED';
        const body = level === 'a' ? { status } : { platform: subject.account, status };
        const answer = await app.call('PUT', `/v1/ads/${paths(ad)[level]}`, { key: fixture.key, body });
        expect(answer, `${sequence}: ${level}${sign}`).toMatchObject({ status: 200 });
      }
    }
    const recorded = (): Promise<string[]> =>
      Promise.all(
        ads.map(async (ad, at) => {
          const { body } = await app.call('GET', `/v1/ads/${ad._id}`, { key: fixture.key });
          return `${sequences[at]}: ${body.ad.status}`;
        }),
      );

    it('are those at the platform after each sequence of pauses, also if the pauses were discovered', async () => {
      for (const [at, sequence] of sequences.entries()) await run(ads[at], sequence);
      for (const next of ['s+', 'a- s- a+ s+ a+']) {
        const before = await recorded();
        await discovered(app, fixture);
        expect(before).toEqual(await recorded());
        for (const ad of ads) await run(ad, next);
      }
      const before = await recorded();
      await discovered(app, fixture);
      expect(before).toEqual(await recorded());
      expect(new Set(before.map((line) => line.split(': ')[1]))).toEqual(new Set(['active']));
    });
  },
);
