import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { makeListing, type Listing } from './listing-support.ts';

let app: TestApp;
let listing: Listing;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  listing = await makeListing(app);
});

const body = { updateMask: 'storeCode', storeCode: 'S-2' };

describe('a listing whose token has ended', () => {
  it('is renewed once, and the change repeated', async () => {
    await listing.control('listing/tokens/expire', { token: listing.token });
    const patches = await listing.patches(async () => {
      expect((await listing.put('location-details', body)).status).toBe(200);
    });
    expect(patches).toHaveLength(2);
    expect(await listing.held()).toMatchObject({ storeCode: 'S-2' });
  });

  it('is 401 when it cannot be renewed, and the account wants a new connection', async () => {
    await listing.control('listing/tokens/invalidate', { token: listing.token });
    await listing.control('listing/refresh-tokens/invalidate', { token: listing.connection.refreshToken });
    for (const edge of ['location-details', 'attributes'] as const) {
      const own =
        edge === 'attributes' ? { attributeMask: 'wi_fi', attributes: [{ name: 'wi_fi', values: [] }] } : body;
      expect(await listing.put(edge, own)).toMatchObject({
        status: 401,
        body: { code: 'platform_token_expired', platform: 'listing', details: {} },
      });
    }
    const account = await app.call('GET', `/v1/accounts/${listing.accountId}`, { key: listing.key });
    expect(account.body.account).toMatchObject({ needsReconnect: true, isActive: false });
  });
});

describe('a failing platform', () => {
  it.each(['transient', 'http_500', 'reset_after', 'html_502'])('is asked again after %s', async (fault) => {
    await listing.fail(fault, { method: 'PATCH' });
    expect((await listing.put('location-details', body)).status).toBe(200);
  });

  it('that stays so is 502', async () => {
    await listing.fail('http_500', { method: 'PATCH' }, 9);
    expect(await listing.put('location-details', body)).toMatchObject({
      status: 502,
      body: { code: 'platform_api_error', platform: 'listing' },
    });
  });

  it('that limits us is 429 with the time to wait', async () => {
    await listing.fail('rate_limited', { method: 'PATCH' });
    const answer = await listing.put('location-details', body);
    expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited', platform: 'listing' } });
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
  });

  it('that hides a location without a reason has it not', async () => {
    await listing.fail('policy_block', { method: 'PATCH' });
    expect(await listing.put('location-details', body)).toMatchObject({
      status: 404,
      body: { code: 'location_not_found' },
    });
  });
});

describe('a refusal with an error code of the platform', () => {
  const refusedFor = (code: string) =>
    listing.put('location-details', { updateMask: 'storeCode', storeCode: `[refuse:${code}]` });

  it.each([
    ['STALE_DATA', 'accept or reject its changes in the Business Profile interface'],
    ['UNVERIFIED_LOCATION', 'verify it in the Business Profile interface'],
    ['PIN_DROP_REQUIRED', 'set the pin of the location'],
  ])('%s names the field, the code and what to do', async (code, hint) => {
    expect(await refusedFor(code)).toMatchObject({
      status: 400,
      body: {
        code: 'platform_api_error',
        param: 'storeCode',
        error: expect.stringContaining(hint),
        platformError: { code },
        details: { fields: { storeCode: [code] } },
      },
    });
  });

  it('is 429 with a long wait if the field was changed too often', async () => {
    const answer = await refusedFor('THROTTLED');
    expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited', platformError: { code: 'THROTTLED' } } });
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThanOrEqual(3600);
  });

  it('is final, with a hint to request access, if the quota is zero', async () => {
    await listing.control('listing/access', { isGranted: false });
    const answers = [await listing.put('location-details', body), await listing.get('locations')];
    await listing.control('listing/access', { isGranted: true });
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('request it') } });
      expect(answer.headers.get('Retry-After')).toBeNull();
    }
  });
});

describe('pending', () => {
  it('reports in both APIs whether the platform reviews the change', async () => {
    const wiFi = { attributeMask: 'wi_fi', attributes: [{ name: 'wi_fi', values: ['no_wi_fi'] }] };
    expect((await listing.put('attributes', wiFi)).body).toMatchObject({ pending: false });
    expect((await listing.put('location-details', body)).body).toMatchObject({ pending: false });
    const title = { updateMask: 'title', title: 'Garden [review:pending]' };
    expect((await listing.put('location-details', title)).body).toMatchObject({ pending: true });
    expect((await listing.put('attributes', wiFi)).body).toMatchObject({ pending: true });
    const { accountId, key } = listing;
    const mutation = `mutation ($location: UpdateListingLocationDetailsInput!, $attributes: UpdateListingAttributesInput!) {
      updateListingLocationDetails(accountId: "${accountId}", input: $location) { pending }
      updateListingAttributes(accountId: "${accountId}", input: $attributes) { pending }
    }`;
    const { data } = (await app.graphql(mutation, { location: title, attributes: wiFi }, { key })).body;
    expect(data).toEqual({
      updateListingLocationDetails: { pending: true },
      updateListingAttributes: { pending: true },
    });
  });

  it('is null if that cannot be read, and the change stands', async () => {
    await listing.fail('http_500', { method: 'GET', path: '/locations/#$' }, 9);
    const wiFi = { attributeMask: 'wi_fi', attributes: [{ name: 'wi_fi', values: ['no_wi_fi'] }] };
    expect(await listing.put('attributes', wiFi)).toMatchObject({ status: 200, body: { pending: null } });
  });
});

describe('the edits of one location', () => {
  it('are ten a minute: the eleventh is 429 with Retry-After and never sent', async () => {
    const patches = await listing.patches(async () => {
      for (let edit = 1; edit <= 10; edit++) expect((await listing.put('location-details', body)).status).toBe(200);
      const answer = await listing.put('location-details', body);
      expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited', platform: 'listing', details: {} } });
      expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(10);
    });
    expect(patches).toHaveLength(10);
    const other = await listing.put(`location-details?locationId=${listing.otherId}` as 'location-details', body);
    expect(other.status).toBe(200);
  });

  it('wait for a turn that comes soon', async () => {
    const redis = new Redis(app.env['REDIS_URL'] ?? '');
    const key = `{${app.env['REDIS_PREFIX']}:edits:${listing.locationId}}`;
    const [seconds] = await redis.time();
    await redis.rpush(key, ...Array.from({ length: 10 }, () => (Number(seconds) - 60) * 1000));
    expect((await listing.put('location-details', body)).status).toBe(200);
    redis.disconnect();
  });

  it('that are refused here take no turn', async () => {
    for (let edit = 1; edit <= 11; edit++) await listing.put('location-details', { updateMask: 'websiteUri' });
    expect((await listing.put('location-details', body)).status).toBe(200);
  });
});

describe('a changed listing', () => {
  it('is published with what changed', async () => {
    await listing.put('location-details', { updateMask: 'storeCode,labels', storeCode: null, labels: ['a'] });
    await listing.put('attributes', { attributeMask: 'wi_fi', attributes: [{ name: 'wi_fi', values: ['no_wi_fi'] }] });
    const { db } = app.app.services;
    const events = async () =>
      db.webhookEvents.find({ userId: listing.userId, type: 'listing.updated' }).sort({ _id: 1 }).lean();
    await expect.poll(async () => (await events()).length).toBe(2);
    const blocks = (await events()).map(({ body: text }) => JSON.parse(text).listing);
    const { accountId, profileId, locationId } = listing;
    expect(blocks).toEqual([
      { accountId, profileId, locationId, fields: ['storeCode', 'labels'] },
      { accountId, profileId, locationId, fields: ['attributes/wi_fi'] },
    ]);
  });

  it('is changed once under one Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'edit-1' };
    const patches = await listing.patches(async () => {
      const first = await listing.put('location-details', body, { headers });
      const second = await listing.put('location-details', body, { headers });
      expect(second.body).toEqual(first.body);
      expect(second.headers.get('Idempotent-Replayed')).toBe('true');
    });
    expect(patches).toHaveLength(1);
  });
});
