import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Goal } from '../../src/contract/ad-enums.ts';
import { goals } from '../../src/contract/capability.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import { leaving } from '../support/ads.ts';
import { sampleOf } from '../support/sample.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { campaignNameAt, goalsOf, goodAdOf, namesAt, received, subjects, fixtureOf } from './platforms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());

describe.each(subjects)('platform $platform', (subject) => {
  let fixture: UserFixture;
  beforeAll(async () => {
    fixture = await fixtureOf(app, subject);
  });
  const post = (body: object): Promise<Answer> => app.call('POST', '/v1/ads/create', { key: fixture.key, body });
  const ad = (goal?: Goal): Record<string, unknown> => goodAdOf(app, subject, fixture, goal);

  it.each(sampleOf(goals, 3))(
    'makes an ad for %s where it declares the goal, and refuses it elsewhere',
    async (goal) => {
      const isDeclared = goalsOf(subject).includes(goal);
      const body = ad(goal);
      const answer = await post(body);
      if (!isDeclared) {
        expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_field_value', param: 'goal' } });
        return;
      }
      expect(answer.body).toMatchObject({ ad: { goal, name: body['name'] } });
      expect(answer.status).toBe(201);
      const campaigns = await namesAt(app, subject, subject.kinds.campaign);
      expect(campaigns.filter((name) => name === campaignNameAt(answer.body.ad))).toHaveLength(1);
    },
  );

  it('sends nothing for a goal that it does not declare', async () => {
    const foreign = goals.find((goal) => !goalsOf(subject).includes(goal));
    if (!foreign) return;
    const entries = await received(app, subject, () => post(ad(foreign)));
    expect(entries.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('has nothing running when the ad is to be paused', async () => {
    const answer = await post({ ...ad(), status: 'PAUSED' });
    expect(answer.body.ad).toMatchObject({ status: expect.stringMatching(/paused|pending_review/) });
  });

  it('takes budgets in whole units and sends its own', async () => {
    const entries = await received(app, subject, () => post(ad()));
    expect(entries.some(({ method, body }) => method === 'POST' && subject.budgetOf25(JSON.stringify(body)))).toBe(
      true,
    );
  });

  it('takes a whole amount of yen, sends it in its own units, and refuses a fraction', async () => {
    const yen = { adAccountId: fixture.adAccountIds.jpy, budgetAmount: 5000, ...subject.inYen?.(fixture.connection) };
    const entries = await received(app, subject, async () => {
      expect((await post({ ...ad(), ...yen })).status).toBe(201);
    });
    expect(entries.some(({ method, body }) => method === 'POST' && subject.budgetOf5000Yen(JSON.stringify(body)))).toBe(
      true,
    );
    expect(await post({ ...ad(), ...yen, budgetAmount: 5000.5 })).toMatchObject({
      status: 400,
      body: { param: 'budgetAmount' },
    });
  });

  it('takes a lifetime budget with an end', async () => {
    const endDate = new Date(Date.now() + 5 * 86_400_000).toISOString();
    const answer = await post({ ...ad(), budgetType: 'lifetime', budgetAmount: 500, endDate });
    expect(answer.body).toMatchObject({ ad: { budget: { amount: 500, type: 'lifetime' } } });
  });

  it('shows the exact requests of a dry run and makes nothing', async () => {
    const body = ad();
    const answer = await post({ ...body, validateOnly: true });
    expect(answer).toMatchObject({ status: 200, body: { valid: true } });
    expect(answer.body.requests.length).toBeGreaterThan(0);
    const text = JSON.stringify(answer.body);
    for (const secret of [
      fixture.connection.accessToken,
      fixture.connection.accessTokenSecret,
      fixture.connection.refreshToken,
    ]) {
      if (secret) expect(text).not.toContain(secret);
    }
    const campaigns = await namesAt(app, subject, subject.kinds.campaign);
    expect(campaigns.filter((name) => name.startsWith(`${String(body['name'])} `))).toEqual([]);
  });

  it('refuses creatives and adSetId where it is not platform A', async () => {
    if (subject.platform === 'A') return;
    const { headline: _h, body: _b, ...rest } = ad();
    const attached = leaving(ad(), 'goal', 'budgetAmount', 'budgetType');
    const said = expect.stringContaining('it is for A (network-a, network-b)');
    expect(await post({ ...attached, adSetId: '12' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_field_value', details: { fields: { adSetId: [said] } } },
    });
    const entry = {
      headline: 'One',
      body: 'Two',
      linkUrl: 'https://shop.example/',
      callToAction: 'SHOP_NOW',
      imageUrl: 'https://shop.example/a.png',
    };
    expect(await post({ ...rest, creatives: [entry] })).toMatchObject({
      status: 400,
      body: { code: 'invalid_field_value', details: { fields: { creatives: [said] } } },
    });
  });

  it('lists the ad accounts of the connection, and looks places up', async () => {
    const accounts = await app.call('GET', `/v1/ads/accounts?accountId=${fixture.accountId}`, { key: fixture.key });
    expect(accounts.body.accounts.map(({ currency }: { currency: string }) => currency).toSorted()).toEqual([
      'EUR',
      'JPY',
      'USD',
    ]);
    const path = `/v1/ads/targeting/search?accountId=${fixture.accountId}&type=country&q=Germany`;
    const places = await app.call('GET', path, { key: fixture.key });
    expect(places).toMatchObject({
      status: 200,
      body: { results: [{ key: 'DE', type: 'country', countryCode: 'DE' }] },
    });
  });
});
