import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { unwrap } from '../../src/contract/members.ts';
import { operations } from '../../src/operations/index.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import { goodAd, createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;
let listing: UserFixture;
beforeAll(async () => {
  app = await startTestApp();
  [fixture, listing] = await Promise.all([createUserFixture(app), createUserFixture(app, { platform: 'listing' })]);
});
afterAll(() => app.stop());

const get = (path: string, key = fixture.key): Promise<Answer> => app.call('GET', path, { key });
const id = 'f'.repeat(24);
const messagesOf = ({ body }: Answer, field: string): string => body.details?.fields?.[field]?.join(' ') ?? '';

const isMask = (member: z.ZodType): boolean => unwrap(member)?.meta()?.['commaSeparated'] === true;
const isList = (member: z.ZodType): boolean => isMask(member) || unwrap(member)?.def.type === 'array';
const scalars = operations
  .filter(({ method }) => method === 'GET')
  .flatMap((route) =>
    Object.entries(route.input.shape as Record<string, z.ZodType>)
      .filter(([name, member]) => !route.path.includes(`{${name}}`) && !isList(member))
      .map(([name]): [string, string] => [
        route.path.replaceAll(/\{platform\}/g, 'network-a').replaceAll(/\{\w+\}/g, id),
        name,
      ]),
  );

describe('a scalar query parameter that is given twice', () => {
  it.each(scalars)('is rejected by name on GET %s: %s', async (path, name) => {
    const answer = await get(`${path}?${name}=a&${name}=b`);
    expect(answer).toMatchObject({ status: 400, body: { type: 'invalid_request_error' } });
    expect(messagesOf(answer, name)).toBe('is given 2 times; send one value');
  });

  it('is refused with equal values as well, beside the other problems of the request', async () => {
    const answer = await get('/v1/ads?platform=network-a&platform=network-a&limit=0');
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body.details.fields)).toEqual(['limit', 'platform']);
  });

  it('is refused on a write that takes its id in the query', async () => {
    const answer = await app.call('DELETE', `/v1/webhooks/settings?id=${id}&id=${id}`, { key: fixture.key });
    expect(answer).toMatchObject({ status: 400, body: { param: 'id', code: 'invalid_field_value' } });
  });

  it('is refused on GET /graphql', async () => {
    const answer = await app.call('GET', '/graphql?query={viewer{user{id}}}&query={viewer{key{id}}}', {
      key: fixture.key,
    });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ extensions: { param: 'query' } }] } });
  });

  it('stays an unknown field if the endpoint has no such parameter', async () => {
    expect(await get('/v1/ads?plattform=a&plattform=b')).toMatchObject({
      status: 400,
      body: { code: 'unknown_field', param: 'plattform' },
    });
  });
});

describe('two spellings of one parameter', () => {
  it('may agree and must not contradict each other', async () => {
    const path = '/v1/ads/targeting/search?type=city&q=berlin&countryCode=de&country_code=';
    expect((await get(`${path}DE`)).status).toBe(200);
    expect(await get(`${path}US`)).toMatchObject({ status: 400, body: { param: 'country_code' } });
  });
});

describe('a list parameter', () => {
  const details = (): string => `/v1/accounts/${listing.accountId}/listing-location-details`;

  beforeAll(async () => {
    const path = `/v1/accounts/${listing.accountId}/listing-locations`;
    const { body } = await get(path, listing.key);
    await app.call('PUT', path, { key: listing.key, body: { selectedLocationId: body.locations[0].locationId } });
  });

  it.each(['readMask=title,websiteUri', 'readMask=title&readMask=websiteUri', 'readMask=title,%20websiteUri'])(
    'takes the comma-separated and the repeated form: %s',
    async (query) => {
      const answer = await get(`${details()}?${query}`, listing.key);
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.body.location).toSorted()).toEqual(['title', 'websiteUri']);
    },
  );

  it.each(['countries=us,de', 'countries=us&countries=de'])('accepts both forms on a write: %s', async (query) => {
    const { status, body } = await app.call('POST', `/v1/ads/create?${query}`, {
      key: fixture.key,
      body: { ...goodAd(fixture), dsaBeneficiary: 'Shop', dsaPayor: 'Shop', validateOnly: true },
    });
    expect({ status, body }).toMatchObject({ status: 200, body: { valid: true } });
    expect(JSON.stringify(body.requests)).toContain('"countries":["US","DE"]');
  });
});

describe('an instant in a query', () => {
  it.each(['fromDate', 'toDate'])('is repaired if the + of its offset is not escaped: %s', async (name) => {
    expect((await get(`/v1/ads/campaigns?${name}=2026-11-01T00:00:00+02:00`)).status).toBe(200);
    expect((await get(`/v1/ads/campaigns?${name}=2026-11-01T00:00:00%2B02:00`)).status).toBe(200);
  });

  it('names the cause if a + makes it unreadable in another way', async () => {
    const answer = await get('/v1/ads/campaigns?fromDate=2026-11-01+00:00:00Z');
    expect(answer.status).toBe(400);
    expect(messagesOf(answer, 'fromDate')).toContain('write it as %2B');
  });

  it('does not mention %2B if no + was sent', async () => {
    const answer = await get('/v1/ads/campaigns?fromDate=2026-11-01%2000:00:00Z');
    expect(answer.status).toBe(400);
    expect(messagesOf(answer, 'fromDate')).not.toContain('%2B');
  });
});

describe('another value with an unescaped +', () => {
  it('names the cause: a token of a platform', async () => {
    const path = '/v1/connect/social-network/select-page';
    const answer = await get(`${path}?profileId=${fixture.profileId}&tempToken=EAAB+cd`);
    expect(answer).toMatchObject({ status: 400, body: { param: 'tempToken' } });
    expect(messagesOf(answer, 'tempToken')).toContain('write it as %2B');
  });

  it('is a space where spaces are allowed', async () => {
    const answer = await get('/v1/ads/targeting/search?type=city&q=new+york');
    expect(answer).toMatchObject({ status: 200, body: { results: [{ name: 'New York' }] } });
  });
});

describe('a country', () => {
  const dryRun = (targeting: object): Promise<Answer> =>
    app.call('POST', '/v1/ads/create', {
      key: fixture.key,
      body: { ...goodAd(fixture), ...targeting, validateOnly: true },
    });

  it.each([
    ['countries.0', { countries: ['UK'] }],
    ['countries.0', { countries: ['uk'] }],
    ['cities.0.countryCode', { cities: [{ key: '1', countryCode: 'UK' }] }],
    ['regions.0.countryCode', { regions: [{ key: '1', countryCode: 'UK' }] }],
  ])('UK is refused naming GB: %s', async (path, targeting) => {
    const answer = await dryRun(targeting);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_field_value', param: path } });
    expect(messagesOf(answer, path)).toContain('GB');
  });

  it.each(['countryCode', 'country_code'])('UK is refused naming GB in look-ups: %s', async (name) => {
    const answer = await get(`/v1/ads/targeting/search?type=city&q=london&${name}=UK`);
    expect(answer.status).toBe(400);
    expect(messagesOf(answer, name)).toContain('GB');
  });

  it('UK is refused naming GB in the address of a listing', async () => {
    const answer = await app.call('PUT', `/v1/accounts/${listing.accountId}/listing-location-details`, {
      key: listing.key,
      body: {
        updateMask: 'storefrontAddress',
        storefrontAddress: { regionCode: 'UK', addressLines: ['1 High Street'] },
      },
    });
    expect(answer).toMatchObject({ status: 400, body: { param: 'storefrontAddress.regionCode' } });
    expect(answer.body.error).toContain('GB');
  });

  it('is accepted in lower case and sent in upper case', async () => {
    const { status, body } = await dryRun({ countries: ['us', 'Ca'] });
    expect(status).toBe(200);
    expect(JSON.stringify(body.requests)).toContain('"countries":["US","CA"]');
  });

  it('in lower case meets the rule for the European Union', async () => {
    const answer = await dryRun({ countries: ['de'] });
    expect(answer).toMatchObject({ status: 400, body: { param: 'dsaBeneficiary' } });
  });
});
