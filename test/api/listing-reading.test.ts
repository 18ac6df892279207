import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { makeListing, type Listing } from './listing-support.ts';

let app: TestApp;
let listing: Listing;

beforeAll(async () => {
  app = await startTestApp();
  listing = await makeListing(app);
});
afterAll(() => app.stop());

const graphql = async (query: string, variables: object = {}) => {
  const { body } = await app.graphql(query, variables, { key: listing.key });
  expect(body.errors).toBeUndefined();
  return body.data;
};

describe('the locations of an account', () => {
  it('are those of all its accounts at the platform', async () => {
    const { status, body } = await listing.get('locations');
    expect(status).toBe(200);
    expect(body.locations.map(({ title }: { title: string }) => title)).toEqual(
      listing.connection.locations?.map(({ title }) => title),
    );
    expect(body).toMatchObject({
      accountId: listing.accountId,
      selectedLocationId: listing.locationId,
      locations: [{ locationId: listing.locationId, isSelected: true, address: 'Storgata 1, 0150 Oslo, NO' }, {}, {}],
    });
  });

  it('stand under the short path too, and in GraphQL', async () => {
    const long = await listing.get('locations');
    const short = await app.call('GET', `/v1/listing-locations?accountId=${listing.accountId}`, { key: listing.key });
    expect(short.body).toEqual(long.body);
    expect((await app.call('GET', '/v1/listing-locations', { key: listing.key })).body).toMatchObject({
      param: 'accountId',
    });
    expect((await app.call('POST', '/v1/listing-locations', { key: listing.key })).status).toBe(405);
    const data = await graphql('query ($id: ID!) { listingLocations(accountId: $id) { locationId title } }', {
      id: listing.accountId,
    });
    expect(data.listingLocations).toMatchObject(
      long.body.locations.map(({ locationId, title }: { locationId: string; title: string }) => ({
        locationId,
        title,
      })),
    );
  });
});

describe('reading a location', () => {
  it('gives all fields, or those of the mask', async () => {
    const whole = await listing.get('location-details');
    expect(whole.body).toMatchObject({
      locationId: listing.locationId,
      location: { name: `locations/${listing.locationId}`, title: expect.any(String), metadata: {} },
    });
    const masked = await listing.get('location-details?readMask=title,%20profile.description');
    expect(Object.keys(masked.body.location).toSorted()).toEqual(['profile', 'title']);
  });

  it('hints at a typo in the mask', async () => {
    const { status, body } = await listing.get('location-details?readMask=websiteUrl');
    expect(status).toBe(400);
    expect(body.details.fields.readMask).toEqual([expect.stringContaining('did you mean websiteUri?')]);
  });

  it('gives the attributes that are set and those that may be', async () => {
    await listing.put('attributes', { attributeMask: 'wi_fi', attributes: [{ name: 'wi_fi', values: ['no_wi_fi'] }] });
    const set = await listing.get('attributes');
    expect(set.body).toEqual({
      accountId: listing.accountId,
      locationId: listing.locationId,
      attributes: [{ name: 'attributes/wi_fi', valueType: 'ENUM', values: ['no_wi_fi'] }],
    });
    const kinds = await listing.get('attribute-metadata');
    expect(kinds.body.attributeMetadata).toContainEqual({
      name: 'attributes/wi_fi',
      valueType: 'ENUM',
      displayName: 'Wi-Fi',
      groupDisplayName: 'Amenities',
      isDeprecated: false,
      choices: ['free_wi_fi', 'paid_wi_fi', 'no_wi_fi'].map((value) => ({ value, displayName: value })),
    });
    expect((await listing.get(`attributes?locationId=${listing.otherId}`)).body.attributes).toEqual([]);
    expect((await listing.get('attributes?locationId=1')).body).toMatchObject({
      code: 'location_not_found',
      param: 'locationId',
      error: expect.stringContaining('does not exist or this account cannot access it'),
      details: {},
    });
  });
});

describe('the GraphQL API', () => {
  it('reads and changes a location', async () => {
    const data = await graphql(
      `mutation ($id: ID!, $location: String, $details: UpdateListingLocationDetailsInput!, $attributes: UpdateListingAttributesInput!) {
        updateListingLocationDetails(accountId: $id, locationId: $location, input: $details) { success locationId warnings { param } }
        updateListingAttributes(accountId: $id, locationId: $location, input: $attributes) { attributes { name values } }
        selectListingLocation(accountId: $id, input: { selectedLocationId: "${listing.otherId}" }) { selectedLocationId account { selectedLocationId listingLocations { id isSelected } adAccounts { id } } }
      }`,
      {
        id: listing.accountId,
        location: listing.otherId,
        details: {
          updateMask: 'regularHours,websiteUri',
          regularHours: {
            periods: [{ openDay: 'MONDAY', openTime: { hours: 9 }, closeDay: 'MONDAY', closeTime: { hours: 12 } }],
          },
          websiteUri: null,
          storeCode: 'S',
        },
        attributes: { attributeMask: 'has_delivery', attributes: [{ name: 'has_delivery', values: [true] }] },
      },
    );
    expect(data).toEqual({
      updateListingLocationDetails: { success: true, locationId: listing.otherId, warnings: [{ param: 'storeCode' }] },
      updateListingAttributes: { attributes: [{ name: 'attributes/has_delivery', values: [true] }] },
      selectListingLocation: {
        selectedLocationId: listing.otherId,
        account: {
          selectedLocationId: listing.otherId,
          listingLocations: expect.arrayContaining([{ id: listing.otherId, isSelected: true }]),
          adAccounts: null,
        },
      },
    });
    const read = await graphql(
      `
        query ($id: ID!) {
          listingLocationDetails(accountId: $id, readMask: "regularHours,websiteUri") {
            location
          }
          listingAttributes(accountId: $id) {
            attributes {
              name
            }
          }
          listingAttributeMetadata(accountId: $id) {
            attributeMetadata {
              name
              choices {
                value
              }
            }
          }
        }
      `,
      { id: listing.accountId },
    );
    expect(read.listingLocationDetails.location).toMatchObject({
      regularHours: { periods: [{ openTime: { hours: 9 } }] },
    });
    expect(read.listingLocationDetails.location).not.toHaveProperty('websiteUri');
    expect(read.listingAttributes.attributes).toHaveLength(1);
    expect(read.listingAttributeMetadata.attributeMetadata.length).toBeGreaterThan(5);
  });

  it('answers errors with details as an object', async () => {
    const { body } = await app.graphql(
      `{ listingAttributes(accountId: "${'f'.repeat(24)}") { locationId } }`,
      {},
      { key: listing.key },
    );
    expect(body.errors[0].extensions).toMatchObject({ code: 'account_not_found', details: {} });
  });
});
