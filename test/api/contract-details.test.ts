import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
