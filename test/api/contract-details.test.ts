import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { examples } from '../../src/rest/examples.ts';
import { bothApis } from '../support/both-apis.ts';
import { goodAdOf, subjects, fixtureOf, type Subject } from '../conformance/platforms.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;
beforeAll(async () => {
  app = await startTestApp();
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

describe('an id in the request that the platform does not know', () => {
  it('is 400 on createAd and names its field, although the platform answers 404', async () => {
    const subject = subjects.find(({ platform }) => platform === 'F') as Subject;
    const professional = await fixtureOf(app, subject);
    const answer = await app.call('POST', '/v1/ads/create', {
      key: professional.key,
      body: {
        ...goodAdOf(app, subject, professional),
        goal: 'conversions',
        promotedObject: { customConversionId: '999' },
      },
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'invalid_field_value', param: 'promotedObject.customConversionId', platform: 'F' },
    });
  });
});

describe.each(bothApis)('a range that ends before it begins, through %s', (_api, through) => {
  const ranges: [from: string, to: string, param: string, values: [unknown, unknown]][] = [
    ['fromDate', 'toDate', 'fromDate', ['2026-03-02T00:00:00Z', '2026-03-02T00:00:00+01:00']],
    ['from', 'to', 'from', ['2026-03-02T00:00:00Z', '2026-03-01T00:00:00Z']],
    ['since', 'until', 'until', ['2026-03-02T00:00:00Z', '2026-03-01T00:00:00Z']],
    ['ageMin', 'ageMax', 'ageMin', [30, 20]],
  ];
  const cases = operations.flatMap(({ name, input }) =>
    ranges.filter(([from]) => from in input.shape).map((range) => [name, ...range] as const),
  );

  it.each(cases)('is refused by %s: %s and %s', async (name, from, to, param, values) => {
    const { params, bodies = {}, body = Object.values(bodies)[0] ?? {} } = examples[name] ?? {};
    const { datePreset: _instead, ...given }: Record<string, unknown> = { ...params, ...body };
    const [first, last] = name === 'adReport' ? ['2026-03-02', '2026-03-01'] : values;
    const answer = await through(app)(name, fixture.key, { ...given, [from]: first, [to]: last });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body.details.fields)).toContain(param);
  });

  it('is refused beside the other problems of the request', async () => {
    const reversed = { fromDate: '2026-03-02T00:00:00Z', toDate: '2026-03-01T00:00:00Z' };
    const answer = await through(app)('adTree', fixture.key, { ...reversed, accountId: 'x' });
    expect(Object.keys(answer.body.details.fields)).toEqual(['accountId', 'fromDate']);
  });
});

it('a range of a single instant is no error', async () => {
  const at = '2026-03-02T00:00:00Z';
  const tree = await app.call('GET', `/v1/ads/tree?fromDate=${at}&toDate=${at}`, { key: fixture.key });
  const activity = await app.call('GET', `/v1/activity?from=${at}&to=${at}`, { key: fixture.key });
  expect([tree.status, activity.status]).toEqual([200, 200]);
});

describe('the catalogue of events', () => {
  it('contains webhook.test on both APIs, and `events` rejects it', async () => {
    const { body } = await app.call('GET', '/v1/events', { key: fixture.key });
    const listed = body.eventTypes.find(({ name }: { name: string }) => name === 'webhook.test');
    expect(listed).toMatchObject({ sample: { event: 'webhook.test', webhook: { name: expect.any(String) } } });
    const answer = await app.graphql('{ eventTypes { name } }', {}, { key: fixture.key });
    expect(answer.body.data.eventTypes).toContainEqual({ name: 'webhook.test' });
    const refused = await app.call('POST', '/v1/webhooks/settings', {
      key: fixture.key,
      body: { name: 'Test', url: 'https://shop.example/hooks', events: ['webhook.test'] },
    });
    expect(refused).toMatchObject({ status: 400, body: { param: 'events.0' } });
  });
});

describe('locations of a listing', () => {
  it('answer their id as `id` and as `locationId` on both APIs', async () => {
    const listing = await createUserFixture(app, { platform: 'listing' });
    const { body } = await app.call('GET', `/v1/accounts/${listing.accountId}/listing-locations`, { key: listing.key });
    const ids = body.locations.map(({ locationId }: { locationId: string }) => locationId);
    expect(ids.length).toBeGreaterThan(0);
    expect(body.locations.map(({ id }: { id: string }) => id)).toEqual(ids);
    const query = 'query ($id: ID!) { listingLocations(accountId: $id) { id locationId } }';
    const answer = await app.graphql(query, { id: listing.accountId }, { key: listing.key });
    expect(answer.body.data.listingLocations).toEqual(ids.map((id: string) => ({ id, locationId: id })));
  });
});

describe('a headline on platform F', () => {
  it('has at most 200 characters', async () => {
    const subject = subjects.find(({ platform }) => platform === 'F') as Subject;
    const professional = await fixtureOf(app, subject);
    const dryRun = (headline: string) =>
      app.call('POST', '/v1/ads/create', {
        key: professional.key,
        body: { ...goodAdOf(app, subject, professional), headline, validateOnly: true },
      });
    expect((await dryRun('x'.repeat(200))).status).toBe(200);
    expect(await dryRun('x'.repeat(201))).toMatchObject({ status: 400, body: { param: 'headline' } });
  });
});
