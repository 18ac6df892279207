import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayOf } from '../../src/lib/account-time.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { discovered, goodAdOf, fixtureOf, subjects, type Subject } from './platforms.ts';

type Body = Record<string, unknown>;

let app: TestApp;
let fixture: UserFixture;
const subject = subjects.find(({ platform }) => platform === 'B') as Subject;
const zone = 'America/New_York';
const dayMs = 86_400_000;
/** Noon of a later day of the account, and the end of the day before it. */
const noonIn = (days: number): string => `${dayOf(new Date(Date.now() + days * dayMs), zone)}T12:00:00-05:00`;
const dayBefore = (days: number): string => dayOf(new Date(Date.now() + (days - 1) * dayMs), zone);

beforeAll(async () => {
  app = await startTestApp();
  fixture = await fixtureOf(app, subject);
});
afterAll(() => app.stop());

const order = (more: Body): Body => ({ ...goodAdOf(app, subject, fixture), ...more });
const create = (more: Body): Promise<Answer> =>
  app.call('POST', '/v1/ads/create', { key: fixture.key, body: order(more) });
const heldBy = async (campaignId: string): Promise<Body> => {
  const response = await fetch(`${app.sandbox.url}/control/search-display/objects?type=campaigns`);
  const { objects } = (await response.json()) as { objects: Body[] };
  return objects.find(({ id }) => id === campaignId) ?? {};
};
const heldNames = async (): Promise<unknown> => {
  const response = await fetch(`${app.sandbox.url}/control/search-display/objects?type=campaigns`);
  return ((await response.json()) as { objects: Body[] }).objects.map(({ name }) => name);
};
const search = {
  campaignType: 'search',
  images: undefined,
  additionalHeadlines: ['Second', 'Third'],
  additionalDescriptions: ['Another description.'],
};
const isMoved = {
  param: 'endDate',
  message: expect.stringMatching(/^is moved to \S+Z: campaigns of this platform end/),
};
const isStarted = {
  param: 'startDate',
  message: expect.stringMatching(/^is moved to \S+Z: campaigns of this platform start at the beginning of a day/),
};
const isSpread = {
  param: 'budgetAmount',
  message: expect.stringMatching(/^is spread over the days: .*not a hard limit$/),
};

describe('an end within a day on platform B', () => {
  it('is moved to the end of the day before with a warning, and a discovery reads the same end', async () => {
    const { status, body } = await create({ endDate: noonIn(9) });
    expect([status, body.warnings]).toEqual([201, [isMoved]]);
    expect(await heldBy(body.ad.platformCampaignId)).toMatchObject({ endDateTime: `${dayBefore(9)} 23:59:59` });
    const { endDate } = body.ad.schedule;
    expect(dayOf(new Date(endDate), zone)).toBe(dayBefore(9));
    expect(dayOf(new Date(Date.parse(endDate) + 1000), zone)).not.toBe(dayBefore(9));
    expect(await discovered(app, fixture)).toMatchObject({ status: 'completed' });
    const { campaigns } = (await app.call('GET', '/v1/ads/tree?limit=100', { key: fixture.key })).body;
    const [adSet] = campaigns.find(({ platformCampaignId: id }: Body) => id === body.ad.platformCampaignId).adSets;
    expect([adSet.endDate, adSet.ads[0].schedule.endDate]).toEqual([endDate, endDate]);
  });

  it('gives the same warnings through GraphQL and in a dry run, whose request has the moved end', async () => {
    const mutation =
      'mutation ($input: CreateAdInput!) { createAd(input: $input) { ad { schedule { endDate } } warnings { param message } } }';
    const input = order({ endDate: noonIn(9), goal: 'TRAFFIC', budgetType: 'DAILY' });
    const { data } = (await app.graphql(mutation, { input }, { key: fixture.key })).body;
    expect(data.createAd.warnings).toEqual([isMoved]);
    const dryRun = await create({ endDate: noonIn(9), validateOnly: true });
    expect(dryRun.body).toMatchObject({ valid: true, warnings: [isMoved] });
    expect(JSON.stringify(dryRun.body.requests)).toContain(`"endDateTime":"${dayBefore(9)} 23:59:59"`);
  });

  it('is rejected if the day before is over already, in createAd and updateAd', async () => {
    // One of the two accounts is hours away from its next midnight.
    const isLate =
      Number(new Intl.DateTimeFormat('en', { timeZone: zone, hour: 'numeric', hourCycle: 'h23' }).format()) > 20;
    const adAccountId = isLate ? fixture.adAccountIds.jpy : fixture.adAccountIds.usd;
    const endDate = new Date(Date.now() + 3_600_000).toISOString();
    const message = expect.stringMatching(/^must be \S+Z or later: campaigns of this platform end at the end of a day/);
    const refused = await create({ adAccountId, budgetAmount: 5000, endDate });
    expect(refused).toMatchObject({ status: 400, body: { details: { fields: { endDate: [message] } } } });
    const { ad } = (await create({ adAccountId, budgetAmount: 5000 })).body;
    const change = await app.call('PUT', `/v1/ads/${ad._id}`, { key: fixture.key, body: { endDate } });
    expect(change).toMatchObject({ status: 400, body: { details: { fields: { endDate: [message] } } } });
  });

  it('is moved by updateAd too, with the same warning in both APIs', async () => {
    const { ad } = (await create({})).body;
    const change = await app.call('PUT', `/v1/ads/${ad._id}`, { key: fixture.key, body: { endDate: noonIn(5) } });
    expect(change.body.warnings).toEqual([isMoved]);
    expect(await heldBy(ad.platformCampaignId)).toMatchObject({ endDateTime: `${dayBefore(5)} 23:59:59` });
    const mutation =
      'mutation ($adId: ID!, $input: UpdateAdInput!) { updateAd(adId: $adId, input: $input) { ad { schedule { endDate } } warnings { param message } } }';
    const variables = { adId: ad._id, input: { endDate: noonIn(6) } };
    const { updateAd } = (await app.graphql(mutation, variables, { key: fixture.key })).body.data;
    expect(updateAd.warnings).toEqual([isMoved]);
    expect(dayOf(new Date(updateAd.ad.schedule.endDate), zone)).toBe(dayBefore(6));
    const whole = await app.call('PUT', `/v1/ads/${ad._id}`, {
      key: fixture.key,
      body: { endDate: updateAd.ad.schedule.endDate },
    });
    expect(whole.body).not.toHaveProperty('warnings');
  });
});

describe('a start on platform B', () => {
  const forgetZones = async (): Promise<void> => {
    const { accounts } = app.app.services.db;
    const { adAccounts } = await accounts.findOne({ _id: fixture.accountId }).lean().orFail();
    const withoutZone = adAccounts.map(({ timezone: _zone, ...rest }) => rest);
    const adAccountsAt = new Date(Date.now() - 60_000);
    await accounts.updateOne({ _id: fixture.accountId }, { $set: { adAccounts: withoutZone, adAccountsAt } });
  };

  it('reads the time zone of the ad account if the stored one is missing', async () => {
    await create({});
    await forgetZones();
    const { status, body } = await create({ startDate: noonIn(3) });
    expect([status, body.warnings]).toEqual([201, [isStarted]]);
    expect(dayOf(new Date(body.ad.schedule.startDate), zone)).toBe(dayBefore(5));
  });
});

describe('a lifetime budget on platform B', () => {
  const lifetime = (days: number): Body => ({ budgetType: 'lifetime', budgetAmount: 900, endDate: noonIn(days) });
  const budgetOf = async ({ body }: Answer): Promise<unknown> =>
    (await heldBy(body.ad.platformCampaignId))['campaignBudget'];
  const budgets = async (): Promise<Body[]> => {
    const response = await fetch(`${app.sandbox.url}/control/search-display/objects?type=budgets`);
    return ((await response.json()) as { objects: Body[] }).objects;
  };
  const amountsOf = async (answer: Answer): Promise<Body | undefined> => {
    const name = await budgetOf(answer);
    return (await budgets()).find(({ resourceName }) => resourceName === name);
  };

  // A run that starts today and ends before the day `days` from now lasts so many days.
  it.each([
    ['display', 9, { period: 'DAILY', amountMicros: '100000000' }, [isMoved, isSpread]],
    ['search', 9, { period: 'CUSTOM_PERIOD', totalAmountMicros: '900000000' }, [isMoved]],
    ['search', 2, { period: 'DAILY', amountMicros: '450000000' }, [isMoved, isSpread]],
    ['search', 100, { period: 'DAILY', amountMicros: '9000000' }, [isMoved, isSpread]],
  ])('of a %s campaign of %d days is held as %j', async (campaignType, days, held, warnings) => {
    const answer = await create({ ...(campaignType === 'search' && search), ...lifetime(days) });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    expect(answer.body.warnings.filter(({ param }: Body) => param !== 'imageUrl')).toEqual(warnings);
    expect(await amountsOf(answer)).toMatchObject(held);
  });

  it('counts its days from the start', async () => {
    const startDate = noonIn(3);
    const answer = await create({ ...lifetime(9), startDate });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    expect(answer.body.warnings).toEqual([isStarted, isMoved, isSpread]);
    // The day of the request and the day of the end are not whole: five days are left.
    expect(await amountsOf(answer)).toMatchObject({ period: 'DAILY', amountMicros: '180000000' });
    expect(await heldBy(answer.body.ad.platformCampaignId)).toMatchObject({
      startDateTime: `${dayBefore(5)} 00:00:00`,
    });
  });

  it('is spread, in an account that takes no totals', async () => {
    const id = fixture.adAccountIds.eur;
    await fetch(`${app.sandbox.url}/control/search-display/accounts/${id.replaceAll('-', '')}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ withoutTotalBudgets: ['SEARCH'] }),
    });
    const answer = await create({ ...search, ...lifetime(9), adAccountId: id });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    expect(await amountsOf(answer)).toMatchObject({ period: 'DAILY' });
    expect(answer.body.warnings).toEqual([isMoved, isSpread]);
    const dryRun = await create({ ...search, ...lifetime(9), adAccountId: id, validateOnly: true });
    expect(dryRun.body).toMatchObject({ valid: true, warnings: [isMoved, isSpread] });
  });

  it('is spread again by updateAd, with the warning', async () => {
    const answer = await create(lifetime(9));
    const body = { endDate: noonIn(18) };
    const change = await app.call('PUT', `/v1/ads/${answer.body.ad._id}`, { key: fixture.key, body });
    expect(change.body.warnings).toEqual([isMoved, isSpread]);
    // Something may have been spent by now.
    const amount = Number((await amountsOf(answer))?.['amountMicros']);
    expect(amount).toBeGreaterThan(40_000_000);
    expect(amount).toBeLessThanOrEqual(50_000_000);
  });

  it('names endDate and the limit of days if a longer run would need a total', async () => {
    const answer = await create({ ...search, ...lifetime(9) });
    const body = { endDate: noonIn(100) };
    const change = await app.call('PUT', `/v1/ads/${answer.body.ad._id}`, { key: fixture.key, body });
    expect(change).toMatchObject({ status: 400, body: { param: 'endDate' } });
    expect(JSON.stringify(change.body)).toContain('runs for 90 days at most');
  });
});

describe('awareness on platform B', () => {
  it('requires bidAmount in both APIs and in dry runs, and nothing is sent', async () => {
    const refused = { status: 400, body: { code: 'missing_required_field', param: 'bidAmount' } };
    const before = await heldNames();
    for (const validateOnly of [false, true]) {
      expect(await create({ goal: 'awareness', validateOnly })).toMatchObject(refused);
      const input = order({ goal: 'AWARENESS', budgetType: 'DAILY', validateOnly });
      const mutation = 'mutation ($input: CreateAdInput!) { createAd(input: $input) { message } }';
      const { errors } = (await app.graphql(mutation, { input }, { key: fixture.key })).body;
      expect(errors).toMatchObject([{ extensions: { code: 'missing_required_field', param: 'bidAmount' } }]);
    }
    expect(await heldNames()).toEqual(before);
  });
});

describe('countries and interests on platform B', () => {
  it.each([['XK'], ['TW', 'HK'], ['DE']])('targets %s', async (...countries) => {
    const { status, body } = await create({ countries });
    expect(status, JSON.stringify(body)).toBe(201);
  });

  it('offers only interests that an ad group takes', async () => {
    const path = `/v1/ads/interests?accountId=${fixture.accountId}&q=running`;
    const { body } = await app.call('GET', path, { key: fixture.key });
    expect(body.interests.map(({ name }: Body) => name)).toEqual(['Running Enthusiasts']);
  });
});
