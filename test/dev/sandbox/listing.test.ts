import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import { client, refusedAs, violates, type Client } from './listing-client.ts';

let sandbox: Sandbox;
let shop: Client;
beforeAll(async () => {
  sandbox = await startSandbox();
  shop = await client(sandbox.url);
});
afterAll(() => sandbox.stop());

const patch = async (mask: string, body: unknown, extra = '') => {
  const own = await client(sandbox.url);
  return own.call('PATCH', `info/v1/${own.locations[0]?.name}?updateMask=${mask}${extra}`, body);
};
const hours = (openDay: string, closeDay: string, [open, close]: [object, object]) => ({
  regularHours: { periods: [{ openDay, openTime: open, closeDay, closeTime: close }] },
});

describe('accounts and locations', () => {
  it('list two locations under the own account and one under a group', async () => {
    const { body } = await shop.call('GET', 'account/v1/accounts?pageSize=20');
    expect(body.accounts).toMatchObject([{ type: 'PERSONAL' }, { type: 'LOCATION_GROUP' }]);
    const counts = [];
    for (const { name } of body.accounts) {
      const { body: list } = await shop.call('GET', `info/v1/${name}/locations?readMask=name,title&pageSize=100`);
      expect(list.totalSize).toBeUndefined();
      counts.push(list.locations.length);
      expect(Object.keys(list.locations[0])).toEqual(['name', 'title']);
    }
    expect(counts).toEqual([2, 1]);
    expect(shop.locations).toHaveLength(3);
  });

  it('come page by page, in order and filtered', async () => {
    const path = `info/v1/${shop.accounts[0]?.name}/locations?readMask=title&pageSize=1&orderBy=title`;
    const first = (await shop.call('GET', path)).body;
    expect(first.locations[0].title).toBe('Shop Cafe');
    const second = (await shop.call('GET', `${path}&pageToken=${first.nextPageToken}`)).body;
    expect(second.locations[0].title).toBe('Shop Garden Center');
    expect(second.nextPageToken).toBeUndefined();
    const filtered = await shop.call('GET', `${path}&filter=${encodeURIComponent('title="Shop Cafe"')}`);
    expect(filtered.body.totalSize).toBe(1);
  });

  it.each([
    ['pageSize=101&readMask=name', 'page_size'],
    ['pageToken=nonsense&readMask=name', 'page_token'],
    ['orderBy=colour&readMask=name', 'order_by'],
    ['pageSize=10', 'read_mask'],
    ['readMask=colour', 'read_mask'],
    ['readMask=categories.additionalCategories.name', 'read_mask'],
  ])('refuse %s at %s', async (query, field) => {
    expect(await shop.call('GET', `info/v1/${shop.accounts[0]?.name}/locations?${query}`)).toMatchObject(
      violates(field),
    );
  });

  it('of another person, unknown ones and the wildcard account are not found', async () => {
    const other = await client(sandbox.url);
    for (const path of [
      `${other.locations[0]?.name}?readMask=name`,
      'locations/1?readMask=name',
      'accounts/-/locations',
    ])
      expect(await shop.call('GET', `info/v1/${path}`)).toMatchObject({
        status: 404,
        body: { error: { code: 404, status: 'NOT_FOUND', message: 'Requested entity was not found.' } },
      });
  });

  it('read only what the mask names', async () => {
    const { body } = await shop.call(
      'GET',
      `info/v1/${shop.locations[0]?.name}?readMask=title,profile.description,metadata.canModifyServiceList,serviceItems`,
    );
    expect(body).toEqual({
      title: 'Shop Garden Center',
      profile: { description: expect.any(String) },
      metadata: { canModifyServiceList: true },
    });
  });
});

describe('an update', () => {
  it('sets what is named and given, clears what is named alone, ignores what is given alone', async () => {
    const { status, body } = await patch('websiteUri,profile.description', {
      profile: { description: 'Since 1974.' },
      title: 'Never',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ title: 'Shop Garden Center', profile: { description: 'Since 1974.' } });
    expect(body.websiteUri).toBeUndefined();
  });

  it('is only checked with validateOnly', async () => {
    const path = `info/v1/${shop.locations[0]?.name}`;
    const { status, body } = await shop.call('PATCH', `${path}?updateMask=title&validateOnly=true`, { title: 'Never' });
    expect([status, body]).toEqual([200, {}]);
    expect((await shop.call('GET', `${path}?readMask=title`)).body.title).toBe('Shop Garden Center');
  });

  it('gives times back without their noughts', async () => {
    const { body } = await patch(
      'regularHours',
      hours('MONDAY', 'MONDAY', [
        { hours: 9, minutes: 0 },
        { hours: 17, minutes: 30 },
      ]),
    );
    expect(body.regularHours.periods).toEqual([
      { openDay: 'MONDAY', openTime: { hours: 9 }, closeDay: 'MONDAY', closeTime: { hours: 17, minutes: 30 } },
    ]);
  });

  it.each([
    ['no mask', '', { title: 'T' }, 'update_mask'],
    ['an unknown path', 'colour', {}, 'update_mask'],
    ['the name', 'name', {}, 'update_mask'],
    ['the metadata', 'metadata', {}, 'update_mask'],
    ['the language', 'languageCode', { languageCode: 'de' }, 'update_mask'],
    [
      'a part of the phones',
      'phoneNumbers.primaryPhone',
      { phoneNumbers: { primaryPhone: '+1 415 555 0132' } },
      'update_mask',
    ],
    ['a field that does not exist', 'title', { title: 'T', colour: 'red' }, 'location'],
    ['a list', 'title', [], 'location'],
    ['a text', 'title', '{"title":"T"}', 'location'],
    ['an odd status', 'openInfo.status', { openInfo: { status: 'AJAR' } }, 'open_info.status'],
  ])('with %s is refused', async (_what, mask, body, field) => {
    expect(await patch(mask, body)).toMatchObject(violates(field));
  });

  it.each([
    ['no primary phone', 'phoneNumbers', {}, undefined],
    [
      'additional phones alone',
      'phoneNumbers',
      { phoneNumbers: { additionalPhones: [] } },
      'MISSING_PRIMARY_PHONE_NUMBER',
    ],
    ['an odd phone', 'phoneNumbers', { phoneNumbers: { primaryPhone: 'call us' } }, 'INVALID_PHONE_NUMBER'],
    ['no primary category', 'categories', { categories: { additionalCategories: [] } }, 'REQUIRED_FIELD_MISSING_VALUE'],
    ['no category at all', 'categories', {}, 'REQUIRED_FIELD_MISSING_VALUE'],
    ['an unknown category', 'categories', { categories: { primaryCategory: { name: 'cafe' } } }, 'INVALID_CATEGORY'],
    ['no title', 'title', {}, 'REQUIRED_FIELD_MISSING_VALUE'],
    ['a long description', 'profile', { profile: { description: 'x'.repeat(751) } }, 'STRING_TOO_LONG'],
    [
      'an address in the description',
      'profile',
      { profile: { description: 'See https://shop.example/menu' } },
      'PROFILE_DESCRIPTION_CONTAINS_URL',
    ],
    ['an address without a scheme', 'websiteUri', { websiteUri: 'shop.example' }, 'INVALID_URL'],
    [
      'six address lines',
      'storefrontAddress',
      { storefrontAddress: { regionCode: 'US', addressLines: ['1', '2', '3', '4', '5', '6'] } },
      'TOO_MANY_ENTRIES',
    ],
    [
      'places to serve beyond 20',
      'serviceArea',
      {
        serviceArea: {
          businessType: 'CUSTOMER_LOCATION_ONLY',
          places: { placeInfos: Array.from({ length: 21 }, (_, at) => ({ placeId: `p${at}`, placeName: 'Town' })) },
        },
      },
      'TOO_MANY_ENTRIES',
    ],
    [
      'a year without a month',
      'openInfo',
      { openInfo: { status: 'OPEN', openingDate: { year: 1974 } } },
      'OPENING_DATE_MISSING_YEAR_OR_MONTH',
    ],
    [
      'an opening in two years',
      'openInfo',
      { openInfo: { status: 'OPEN', openingDate: { year: new Date().getUTCFullYear() + 2, month: 12 } } },
      'OPENING_DATE_TOO_FAR_IN_THE_FUTURE',
    ],
    ['an empty label', 'labels', { labels: [''] }, 'STRING_TOO_SHORT'],
    ['a code on demand', 'storeCode', { storeCode: '[refuse:STALE_DATA]' }, 'STALE_DATA'],
  ])('with %s is answered with the error code of the platform', async (_what, mask, body, reason) => {
    const answer = await patch(mask, body);
    if (reason === undefined) expect(answer.status).toBe(200);
    else
      expect(answer).toMatchObject({
        status: 400,
        body: { error: { details: [{ reason, metadata: { field_mask: expect.any(String) } }] } },
      });
  });

  it.each([
    ['phoneNumbers', { phoneNumbers: { primaryPhone: '+1 415 555 0132' } }],
    ['categories', { categories: { primaryCategory: { name: 'categories/gcid:cafe' } } }],
  ])('of %s needs no empty list beside the primary one', async (mask, body) => {
    expect((await patch(mask, body)).status).toBe(200);
  });

  it.each([
    ['across midnight', 'FRIDAY', 'SATURDAY', [{ hours: 18 }, { hours: 2 }], 200],
    ['until the end of the day', 'MONDAY', 'MONDAY', [{}, { hours: 24 }], 200],
    ['beyond it', 'MONDAY', 'MONDAY', [{}, { hours: 24, minutes: 1 }], 400],
    ['backwards', 'MONDAY', 'MONDAY', [{ hours: 9 }, { hours: 8 }], 400],
    ['over two days', 'MONDAY', 'WEDNESDAY', [{ hours: 9 }, { hours: 8 }], 400],
    ['on no day', 'MON', 'MONDAY', [{ hours: 9 }, { hours: 10 }], 400],
  ] as const)('of hours %s is validated', async (_what, open, close, [from, to], status) => {
    expect((await patch('regularHours', hours(open, close, [from, to]))).status).toBe(status);
  });

  it('of hours that overlap is rejected with the error code of the platform', async () => {
    const [{ periods: first }, { periods: second }] = [
      hours('SUNDAY', 'MONDAY', [{ hours: 20 }, { hours: 3 }]).regularHours,
      hours('MONDAY', 'MONDAY', [{ hours: 2 }, { hours: 9 }]).regularHours,
    ];
    const answer = await patch('regularHours', { regularHours: { periods: [...first, ...second] } });
    expect(answer).toMatchObject(refusedAs('INVALID_TIME_SCHEDULE', 'regular_hours'));
  });
});

describe('special hours', () => {
  const december = (day: number) => ({ year: 2026, month: 12, day });
  const special = (period: object) => ({ specialHours: { specialHourPeriods: [period] } });
  it.each([
    ['a closed day', { startDate: december(25), closed: true }, 200],
    [
      'a short day',
      { startDate: december(24), endDate: december(24), openTime: { hours: 9 }, closeTime: { hours: 13 } },
      200,
    ],
    [
      'a night',
      {
        startDate: december(31),
        endDate: { year: 2027, month: 1, day: 1 },
        openTime: { hours: 20 },
        closeTime: { hours: 11, minutes: 59 },
      },
      200,
    ],
    [
      'a night until noon',
      { startDate: december(24), endDate: december(25), openTime: { hours: 20 }, closeTime: { hours: 12 } },
      400,
    ],
    [
      'a closed day with an end, which is ignored',
      { startDate: december(24), endDate: december(26), closed: true },
      200,
    ],
    [
      'three days',
      { startDate: december(24), endDate: december(26), openTime: { hours: 9 }, closeTime: { hours: 8 } },
      400,
    ],
    ['a day without times', { startDate: december(24) }, 400],
    ['a day that is none', { startDate: { year: 2026, month: 2, day: 30 }, closed: true }, 400],
  ])('%s', async (_what, period, status) => {
    expect((await patch('specialHours', special(period))).status).toBe(status);
  });

  it.each([
    ['closed and open', { startDate: december(25), openTime: { hours: 9 }, closeTime: { hours: 10 } }],
    ['closed twice', { startDate: december(25), closed: true }],
  ])('of a date that is %s are refused with the error code of the platform', async (_what, other) => {
    const periods = [{ startDate: december(25), closed: true }, other];
    const answer = await patch('specialHours', { specialHours: { specialHourPeriods: periods } });
    expect(answer).toMatchObject(refusedAs('OVERLAPPED_SPECIAL_HOURS', 'special_hours'));
  });

  it('need regular hours', async () => {
    const body = special({ startDate: december(25), closed: true });
    const answer = await patch('regularHours,specialHours', body);
    expect(answer).toMatchObject(refusedAs('SPECIAL_HOURS_SET_WITHOUT_REGULAR_HOURS', 'special_hours'));
  });
});

describe('services', () => {
  const free = (category: string) => ({
    freeFormServiceItem: { category, label: { displayName: 'Hedge sculpting', languageCode: 'en' } },
  });
  const structured = {
    structuredServiceItem: { serviceTypeId: 'job_type_id:pruning' },
    price: { currencyCode: 'USD', units: '80' },
  };

  it('replace the list', async () => {
    const { body } = await patch('serviceItems', { serviceItems: [structured, free('categories/gcid:landscaper')] });
    expect(body.serviceItems).toHaveLength(2);
  });

  it('of a category that offers none are refused where they stand', async () => {
    const answer = await patch('serviceItems', { serviceItems: [structured, free('categories/gcid:cafe')] });
    expect(answer).toMatchObject(violates('service_items[1].free_form_service_item.category'));
    expect(answer.body.error.details[0].fieldViolations[0].description).toContain('not a service business category');
  });

  it('are not for a location that has a menu instead', async () => {
    const answer = await shop.call('PATCH', `info/v1/${shop.locations[1]?.name}?updateMask=serviceItems`, {
      serviceItems: [structured],
    });
    expect(answer).toMatchObject(violates('service_items'));
  });
});

describe('limits and failures', () => {
  it('take so many edits a minute for each location', async () => {
    const own = await client(sandbox.url);
    const edit = (at: number) =>
      own.call('PATCH', `info/v1/${own.locations[at]?.name}?updateMask=title`, { title: 'T' });
    for (let count = 0; count < 10; count++) expect((await edit(0)).status).toBe(200);
    expect(await edit(0)).toMatchObject({ status: 429, body: { error: { status: 'RESOURCE_EXHAUSTED' } } });
    expect((await edit(1)).status).toBe(200);
    await own.control('edit-limit', { perMinute: 1 });
    expect([(await edit(0)).status, (await edit(0)).status]).toEqual([200, 429]);
    expect((await own.control('edit-limit', { perMinute: 'many' })).status).toBe(400);
    await own.control('edit-limit', { perMinute: 10 });
  });

  it.each([
    ['rate_limited', 429],
    ['http_500', 500],
    ['transient', 503],
    ['token_expired', 401],
    ['policy_block', 403],
  ])('%s answers %i in the envelope', async (fault, status) => {
    const headers = { 'X-Sandbox-Fault': fault };
    const answer = await shop.call('GET', 'account/v1/accounts', undefined, { headers });
    expect(answer).toMatchObject({ status, body: { error: { code: status, status: expect.any(String) } } });
  });

  it('has no other addresses', async () => {
    expect((await shop.call('GET', 'info/v1/reviews')).status).toBe(404);
    expect((await shop.call('DELETE', `info/v1/${shop.locations[0]?.name}`)).status).toBe(404);
  });
});
