import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture } from '../support/user-fixture.ts';
import { makeListing, type Listing } from './listing-support.ts';

let app: TestApp;
let listing: Listing;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());

const december = (day: number) => ({ year: 2027, month: 12, day });
const period = (openDay: string, openTime: string, closeDay: string, closeTime: string) => ({
  openDay,
  openTime,
  closeDay,
  closeTime,
});

const weekly = {
  periods: [{ openDay: 'MONDAY', openTime: '09:00', closeDay: 'MONDAY', closeTime: '17:30' }],
};

describe('updating location details', () => {
  beforeAll(async () => {
    listing = await makeListing(app);
  });

  it('applies the fields of the mask with one patch upstream', async () => {
    const body = {
      updateMask: ' websiteUri , profile.description',
      websiteUri: 'https://shop.example/new',
      profile: { description: 'Tools since 1974.' },
    };
    const patches = await listing.patches(async () => {
      const { status, body: answer } = await listing.put('location-details', body);
      expect(status).toBe(200);
      expect(answer).toEqual({
        success: true,
        accountId: listing.accountId,
        locationId: listing.locationId,
        pending: false,
      });
    });
    expect(patches).toHaveLength(1);
    expect(patches[0]).toMatchObject({
      path: `/info/v1/locations/${listing.locationId}`,
      query: { updateMask: 'websiteUri,profile.description' },
      body: { websiteUri: 'https://shop.example/new', profile: { description: 'Tools since 1974.' } },
    });
    expect(await listing.held()).toMatchObject({ websiteUri: 'https://shop.example/new' });
  });

  it('takes all that the document lists, and times as "HH:MM"', async () => {
    listing = await makeListing(app);
    const { status, body } = await listing.put('location-details', {
      updateMask: 'regularHours,specialHours,phoneNumbers,categories,serviceItems',
      regularHours: {
        periods: [
          ...weekly.periods,
          { openDay: 'FRIDAY', openTime: '18:00', closeDay: 'SATURDAY', closeTime: { hours: 2 } },
        ],
      },
      specialHours: {
        specialHourPeriods: [
          { startDate: { year: 2027, month: 12, day: 25 }, closed: true },
          { startDate: { year: 2027, month: 12, day: 24 }, openTime: '9:00', closeTime: '24:00' },
        ],
      },
      phoneNumbers: { primaryPhone: '+1 415 555 0132', additionalPhones: ['+1 415 555 0133'] },
      categories: {
        primaryCategory: { name: 'categories/gcid:landscaper' },
        additionalCategories: [{ name: 'categories/gcid:plant_nursery' }],
      },
      serviceItems: [
        {
          structuredServiceItem: { serviceTypeId: 'job_type_id:pruning', description: 'Trees up to 5 m.' },
          price: { currencyCode: 'USD', units: '80', nanos: 0 },
        },
        {
          freeFormServiceItem: { category: 'categories/gcid:landscaper', label: { displayName: 'Hedge sculpting' } },
        },
      ],
    });
    expect(body).toEqual({
      success: true,
      accountId: listing.accountId,
      locationId: listing.locationId,
      pending: false,
    });
    expect(status).toBe(200);
    expect(await listing.held()).toMatchObject({
      regularHours: {
        periods: [{ openTime: { hours: 9 }, closeTime: { hours: 17, minutes: 30 } }, { closeDay: 'SATURDAY' }],
      },
      specialHours: { specialHourPeriods: [{ closed: true }, { closeTime: { hours: 24 } }] },
      serviceItems: [{ price: { units: '80' } }, {}],
    });
  });

  it('accepts adjacent periods, and a night before a closed day', async () => {
    const { status, body } = await listing.put('location-details', {
      updateMask: 'regularHours,specialHours',
      regularHours: {
        periods: [
          period('MONDAY', '00:00', 'MONDAY', '24:00'),
          period('TUESDAY', '00:00', 'TUESDAY', '12:00'),
          period('TUESDAY', '12:00', 'WEDNESDAY', '03:00'),
          period('SUNDAY', '18:00', 'MONDAY', '00:00'),
        ],
      },
      specialHours: {
        specialHourPeriods: [
          { startDate: december(24), endDate: december(25), openTime: '18:00', closeTime: '02:00' },
          { startDate: december(25), closed: true },
        ],
      },
    });
    expect({ status, body }).toMatchObject({ status: 200, body: { success: true } });
  });

  it('sends strings without surrounding white space', async () => {
    const patches = await listing.patches(() =>
      listing.put('location-details', { updateMask: 'title', title: '  The Shop ' }),
    );
    expect(patches[0]?.body).toEqual({ title: 'The Shop' });
  });

  it('names what the body holds outside the mask in warnings and leaves it as it was', async () => {
    listing = await makeListing(app);
    const before = await listing.held();
    const { body } = await listing.put('location-details', {
      updateMask: 'openInfo.status',
      openInfo: { status: 'CLOSED_TEMPORARILY', openingDate: { year: 1974 } },
      websiteUri: 'https://other.example/',
    });
    expect(body.warnings.map(({ param }: { param: string }) => param)).toEqual(['websiteUri', 'openInfo.openingDate']);
    expect(await listing.held()).toEqual({ ...before, openInfo: { status: 'CLOSED_TEMPORARILY' } });
  });

  it('clears a field only for an explicit null or an empty list', async () => {
    const silent = await listing.put('location-details', { updateMask: 'websiteUri,labels,profile', profile: {} });
    expect(silent.status).toBe(400);
    expect(silent.body).toMatchObject({ code: 'missing_required_field', param: 'websiteUri' });
    expect(Object.keys(silent.body.details.fields)).toEqual(['websiteUri', 'labels', 'profile']);
    const patches = await listing.patches(() =>
      listing.put('location-details', {
        updateMask: 'websiteUri,labels,profile.description',
        websiteUri: null,
        labels: [],
        profile: { description: null },
      }),
    );
    expect(patches[0]).toMatchObject({
      query: { updateMask: 'websiteUri,labels,profile.description' },
      body: { labels: [] },
    });
    const held = await listing.held();
    expect(held).not.toHaveProperty('websiteUri');
    expect(held).not.toHaveProperty('profile');
  });

  it('does not send times of a closed day, and says so', async () => {
    const { body } = await listing.put('location-details', {
      updateMask: 'specialHours',
      specialHours: {
        specialHourPeriods: [
          { startDate: { year: 2027, month: 12, day: 25 }, openTime: '09:00', closeTime: '10:00', closed: true },
        ],
      },
    });
    expect(body.warnings).toEqual([
      { param: 'specialHours.specialHourPeriods.0.openTime', message: 'was not applied: the day is closed' },
      { param: 'specialHours.specialHourPeriods.0.closeTime', message: 'was not applied: the day is closed' },
    ]);
  });

  it('says that the platform still reviews the change', async () => {
    listing = await makeListing(app);
    const { body } = await listing.put('location-details', { updateMask: 'title', title: 'Shop [review:pending]' });
    expect(body.warnings).toEqual([{ param: 'updateMask', message: expect.stringContaining('reviews') }]);
  });
});

describe('an update of location details that is refused', () => {
  beforeAll(async () => {
    listing = await makeListing(app);
  });

  it.each([
    ['without a mask', { websiteUri: 'https://a.example/' }, 'missing_required_field', ['updateMask']],
    ['with an empty mask', { updateMask: ' , ' }, 'invalid_field_value', ['updateMask']],
    [
      'with a typo in the mask',
      { updateMask: 'websiteUrl', websiteUri: 'https://a.example/' },
      'invalid_field_value',
      ['updateMask'],
    ],
    [
      'with a typo in the body',
      { updateMask: 'websiteUri', websiteUrl: 'https://a.example/' },
      'unknown_field',
      ['websiteUrl'],
    ],
    ['with a path into a list', { updateMask: 'labels.0', labels: ['a'] }, 'invalid_field_value', ['updateMask']],
    ['with a path below a whole', { updateMask: 'phoneNumbers.primaryPhone' }, 'invalid_field_value', ['updateMask']],
    ['naming what the platform sets', { updateMask: 'metadata' }, 'invalid_field_value', ['updateMask']],
    [
      'with half of the phones',
      { updateMask: 'phoneNumbers', phoneNumbers: { primaryPhone: '1' } },
      'missing_required_field',
      ['phoneNumbers.additionalPhones'],
    ],
    [
      'with an impossible time',
      { updateMask: 'regularHours', regularHours: { periods: [{ ...weekly.periods[0], openTime: '25:00' }] } },
      'invalid_field_value',
      ['regularHours.periods.0.openTime'],
    ],
    [
      'with hours that end before they begin',
      { updateMask: 'regularHours', regularHours: { periods: [{ ...weekly.periods[0], closeTime: '08:00' }] } },
      'invalid_field_value',
      ['regularHours.periods.0.closeTime'],
    ],
    [
      'with a special day without times',
      {
        updateMask: 'specialHours',
        specialHours: { specialHourPeriods: [{ startDate: { year: 2027, month: 1, day: 1 } }] },
      },
      'missing_required_field',
      ['specialHours.specialHourPeriods.0.closeTime', 'specialHours.specialHourPeriods.0.openTime'],
    ],
    [
      'with a day that does not exist',
      {
        updateMask: 'specialHours',
        specialHours: { specialHourPeriods: [{ startDate: { year: 2027, month: 2, day: 30 }, closed: true }] },
      },
      'invalid_field_value',
      ['specialHours.specialHourPeriods.0.startDate'],
    ],
    [
      'with a service of two kinds',
      { updateMask: 'serviceItems', serviceItems: [{}] },
      'invalid_field_value',
      ['serviceItems.0'],
    ],
    ['with a blank title', { updateMask: 'title', title: ' \t\n' }, 'invalid_field_value', ['title']],
    [
      'with blank texts in a list and below it',
      {
        updateMask: 'labels,profile.description,phoneNumbers,adWordsLocationExtensions',
        labels: ['a', ' '],
        profile: { description: '   ' },
        phoneNumbers: { primaryPhone: ' ', additionalPhones: ['\u00a0'] },
        adWordsLocationExtensions: { adPhone: '  ' },
      },
      'invalid_field_value',
      [
        'adWordsLocationExtensions.adPhone',
        'labels.1',
        'phoneNumbers.additionalPhones.0',
        'phoneNumbers.primaryPhone',
        'profile.description',
      ],
    ],
    [
      'with a service in blank words',
      {
        updateMask: 'serviceItems',
        serviceItems: [
          { freeFormServiceItem: { category: 'categories/gcid:landscaper', label: { displayName: ' ' } } },
        ],
      },
      'invalid_field_value',
      ['serviceItems.0.freeFormServiceItem.label.displayName'],
    ],
    [
      'with hours of a day that overlap',
      {
        updateMask: 'regularHours',
        regularHours: { periods: [...weekly.periods, period('MONDAY', '17:00', 'MONDAY', '20:00')] },
      },
      'invalid_field_value',
      ['regularHours.periods.1'],
    ],
    [
      'with a night that reaches into the hours of the next day, over the end of the week too',
      {
        updateMask: 'regularHours',
        regularHours: {
          periods: [
            period('MONDAY', '00:30', 'MONDAY', '08:00'),
            period('SUNDAY', '20:00', 'MONDAY', '01:00'),
            period('FRIDAY', '20:00', 'SATURDAY', '02:00'),
            period('FRIDAY', '24:00', 'SATURDAY', '01:00'),
          ],
        },
      },
      'invalid_field_value',
      ['regularHours.periods.0', 'regularHours.periods.3'],
    ],
    [
      'with hours of a service that overlap',
      {
        updateMask: 'moreHours',
        moreHours: [{ hoursTypeId: 'DELIVERY', periods: [...weekly.periods, ...weekly.periods] }],
      },
      'invalid_field_value',
      ['moreHours.0.periods.1'],
    ],
    [
      'with a special date that is closed and open, and closed twice',
      {
        updateMask: 'specialHours',
        specialHours: {
          specialHourPeriods: [
            { startDate: december(25), closed: true },
            { startDate: december(25), openTime: '09:00', closeTime: '10:00' },
            { startDate: december(26), closed: true },
            { startDate: december(26), closed: true },
          ],
        },
      },
      'invalid_field_value',
      ['specialHours.specialHourPeriods.1', 'specialHours.specialHourPeriods.3'],
    ],
    // Discovery document 20260916: PostalAddress, Places, Money, Date, RelevantLocation.
    [
      'with more entries, amounts or words than the platform takes',
      {
        updateMask: 'storefrontAddress,serviceArea,serviceItems,openInfo,relationshipData',
        storefrontAddress: { regionCode: 'US', addressLines: ['1', '2', '3', '4', '5', '6'] },
        serviceArea: {
          businessType: 'CUSTOMER_LOCATION_ONLY',
          places: { placeInfos: Array.from({ length: 21 }, (_, at) => ({ placeId: `p${at}`, placeName: 'Town' })) },
        },
        serviceItems: [
          {
            structuredServiceItem: { serviceTypeId: 'job_type_id:pruning' },
            price: { currencyCode: 'USD', units: '1', nanos: 1_000_000_000 },
          },
        ],
        openInfo: { status: 'OPEN', openingDate: { year: 1974, month: 13 } },
        relationshipData: { parentLocation: { placeId: 'p1', relationType: 'PART_OF' } },
      },
      'invalid_field_value',
      [
        'openInfo.openingDate.month',
        'relationshipData.parentLocation.relationType',
        'serviceArea.places.placeInfos',
        'serviceItems.0.price.nanos',
        'storefrontAddress.addressLines',
      ],
    ],
    [
      'with special hours that overlap, also after midnight',
      {
        updateMask: 'specialHours',
        specialHours: {
          specialHourPeriods: [
            { startDate: december(24), endDate: december(25), openTime: '20:00', closeTime: '02:00' },
            { startDate: december(25), openTime: '01:00', closeTime: '10:00' },
            { startDate: december(27), openTime: '09:00', closeTime: '24:00' },
            { startDate: december(27), openTime: '09:00', closeTime: '10:00' },
          ],
        },
      },
      'invalid_field_value',
      ['specialHours.specialHourPeriods.1', 'specialHours.specialHourPeriods.3'],
    ],
  ])('%s is 400 and never reaches the platform', async (_what, body, code, paths) => {
    const patches = await listing.patches(async () => {
      const answer = await listing.put('location-details', body);
      expect(answer.status).toBe(400);
      expect(answer.body.code).toBe(code);
      expect(Object.keys(answer.body.details.fields).toSorted()).toEqual(paths);
    });
    expect(patches).toEqual([]);
  });

  it('hints at the field that was meant', async () => {
    const { body } = await listing.put('location-details', { updateMask: 'website_url,profile.descripton' });
    expect(body.details.fields.updateMask).toEqual([
      expect.stringContaining('did you mean websiteUri?'),
      expect.stringContaining('did you mean profile.description?'),
    ]);
  });

  it('by the platform comes with the field, and with all that the platform said', async () => {
    const { status, body } = await listing.put('location-details', {
      updateMask: 'serviceItems',
      serviceItems: [{ freeFormServiceItem: { category: 'categories/gcid:cafe', label: { displayName: 'Coffee' } } }],
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'platform_api_error',
      platform: 'listing',
      param: 'serviceItems.0.freeFormServiceItem.category',
      error: expect.stringContaining('not a service business category'),
      details: {
        status: 'INVALID_ARGUMENT',
        upstream: [{ fieldViolations: [{ field: 'service_items[0].free_form_service_item.category' }] }],
      },
    });
  });
});

describe('which location an update means', () => {
  const body = { updateMask: 'storeCode', storeCode: 'S-1' };

  beforeAll(async () => {
    listing = await makeListing(app);
  });

  it.each([(id: string) => id, (id: string) => `locations/${id}`, (id: string) => `accounts/1/locations/${id}`])(
    'may be said in each of the forms of an id',
    async (form) => {
      const edge = `location-details?locationId=${encodeURIComponent(form(listing.otherId))}`;
      const answer = await listing.put(edge as 'location-details', body);
      expect(answer).toMatchObject({ status: 200, body: { locationId: listing.otherId } });
    },
  );

  it('is the selected one when none is named, and 422 when none is selected', async () => {
    await app.app.services.db.accounts.updateOne({ _id: listing.accountId }, { $set: { selectedLocationId: null } });
    const lacking = await listing.put('location-details', body);
    expect(lacking).toMatchObject({
      status: 422,
      body: { code: 'location_required', param: 'locationId', details: {} },
    });
    const chosen = await listing.put('locations', { selectedLocationId: `locations/${listing.otherId}` });
    expect(chosen.body).toEqual({ success: true, accountId: listing.accountId, selectedLocationId: listing.otherId });
    expect((await listing.put('location-details', body)).body.locationId).toBe(listing.otherId);
  });

  it('is 404 for a location of another user, an unknown account, and an account of another platform', async () => {
    const stranger = await makeListing(app);
    const foreign = await listing.put(`location-details?locationId=${stranger.locationId}` as 'location-details', body);
    expect(foreign).toMatchObject({ status: 404, body: { code: 'location_not_found' } });
    expect(typeof foreign.body.details).toBe('object');
    const unknown = await app.call('PUT', `/v1/accounts/${'f'.repeat(24)}/listing-location-details`, {
      key: listing.key,
      body,
    });
    expect(unknown).toMatchObject({ status: 404, body: { code: 'account_not_found', details: {} } });
    const social = await createUserFixture(app);
    const other = await app.call('PUT', `/v1/accounts/${social.accountId}/listing-location-details`, {
      key: social.key,
      body,
    });
    expect(other).toMatchObject({ status: 404, body: { code: 'account_not_found', details: {} } });
    const choice = await listing.put('locations', { selectedLocationId: stranger.locationId });
    expect(choice).toMatchObject({ status: 404, body: { code: 'location_not_found', param: 'selectedLocationId' } });
  });
});

describe('a listing call without a good key', () => {
  it('is 401 or 403 with details as an object', async () => {
    listing = await makeListing(app);
    const read = await listing.keyWith({ permission: 'read' });
    const body = { updateMask: 'storeCode', storeCode: 'S-1' };
    for (const edge of ['attributes', 'location-details'] as const) {
      expect(await listing.put(edge, body, { key: '' })).toMatchObject({ status: 401, body: { details: {} } });
      expect(await listing.put(edge, body, { key: read.key })).toMatchObject({ status: 403, body: { details: {} } });
      expect(await listing.put(edge, body, { raw: '{' })).toMatchObject({ status: 400, body: { details: {} } });
    }
  });
});
