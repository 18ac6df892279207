import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { makeListing, type Listing } from './listing-support.ts';

let app: TestApp;
let listing: Listing;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

describe('updating attributes', () => {
  beforeAll(async () => {
    listing = await makeListing(app);
  });

  it('sets the attributes of the mask, by bare names and full ones, of every type', async () => {
    const patches = await listing.patches(async () => {
      const { status, body } = await listing.put('attributes', {
        attributeMask: 'has_delivery, attributes/wi_fi,pay_credit_card_types_accepted,url_menu',
        attributes: [
          { name: 'attributes/has_delivery', values: [true] },
          { name: 'wi_fi', values: ['free_wi_fi'] },
          {
            name: 'pay_credit_card_types_accepted',
            repeatedEnumValue: { setValues: ['visa'], unsetValues: ['jcb'] },
          },
          { name: 'url_menu', uriValues: [{ uri: 'https://shop.example/menu' }] },
        ],
      });
      expect(status).toBe(200);
      expect(body).toMatchObject({ success: true, accountId: listing.accountId, locationId: listing.locationId });
      expect(body.attributes).toContainEqual({ name: 'attributes/has_delivery', valueType: 'BOOL', values: [true] });
      expect(body).not.toHaveProperty('warnings');
    });
    expect(patches).toHaveLength(1);
    expect(patches[0]).toMatchObject({
      path: `/info/v1/locations/${listing.locationId}/attributes`,
      query: {
        attributeMask:
          'attributes/has_delivery,attributes/wi_fi,attributes/pay_credit_card_types_accepted,attributes/url_menu',
      },
    });
  });

  it('leaves what the mask does not name as it was, and says so', async () => {
    const { body } = await listing.put('attributes', {
      attributeMask: 'has_delivery',
      attributes: [
        { name: 'has_delivery', values: [false] },
        { name: 'wi_fi', values: ['no_wi_fi'] },
      ],
    });
    expect(body.warnings).toEqual([{ param: 'attributes.1', message: expect.stringContaining('wi_fi') }]);
    expect(body.attributes).toContainEqual({ name: 'attributes/wi_fi', valueType: 'ENUM', values: ['free_wi_fi'] });
  });

  it('deletes an attribute only for an explicit empty list', async () => {
    const absent = await listing.put('attributes', { attributeMask: 'wi_fi', attributes: [] });
    expect(absent).toMatchObject({ status: 400, body: { code: 'missing_required_field', param: 'attributes' } });
    const valueless = await listing.put('attributes', { attributeMask: 'wi_fi', attributes: [{ name: 'wi_fi' }] });
    expect(valueless).toMatchObject({ status: 400, body: { param: 'attributes.0.values' } });
    const { body } = await listing.put('attributes', {
      attributeMask: 'wi_fi',
      attributes: [{ name: 'wi_fi', values: [] }],
    });
    expect(body.attributes.map(({ name }: { name: string }) => name)).not.toContain('attributes/wi_fi');
  });

  it('warns of an attribute that the platform no longer saves', async () => {
    const { status, body } = await listing.put('attributes', {
      attributeMask: 'requires_masks_staff',
      attributes: [{ name: 'requires_masks_staff', values: [true] }],
    });
    expect(status).toBe(200);
    expect(body.warnings).toEqual([{ param: 'attributes.0', message: expect.stringContaining('no longer saves') }]);
  });
});

describe('an update of attributes that is refused', () => {
  beforeAll(async () => {
    listing = await makeListing(app);
  });

  const wifi = { name: 'wi_fi', values: ['free_wi_fi'] };

  it.each([
    ['without a mask', { attributes: [wifi] }, ['attributeMask']],
    ['without attributes', { attributeMask: 'wi_fi' }, ['attributes']],
    ['with an unknown name', { attributeMask: 'wifi', attributes: [{ ...wifi, name: 'wifi' }] }, ['attributeMask']],
    [
      'of another business',
      { attributeMask: 'serves_coffee', attributes: [{ name: 'serves_coffee', values: [true] }] },
      ['attributeMask'],
    ],
    [
      'with a name twice',
      { attributeMask: 'wi_fi', attributes: [wifi, { ...wifi, name: 'attributes/wi_fi' }] },
      ['attributes.1.name'],
    ],
    [
      'with a choice that is none',
      { attributeMask: 'wi_fi', attributes: [{ name: 'wi_fi', values: ['fast'] }] },
      ['attributes.0.values'],
    ],
    [
      'with a text for a boolean',
      { attributeMask: 'has_delivery', attributes: [{ name: 'has_delivery', values: ['yes'] }] },
      ['attributes.0.values'],
    ],
    [
      'with an address as a plain value',
      { attributeMask: 'url_menu', attributes: [{ name: 'url_menu', values: ['https://a.example/'] }] },
      ['attributes.0.values'],
    ],
    [
      'with an address that is none',
      { attributeMask: 'url_menu', attributes: [{ name: 'url_menu', uriValues: [{ uri: 'menu' }] }] },
      ['attributes.0.uriValues.0.uri'],
    ],
    [
      'with a choice both set and unset',
      {
        attributeMask: 'pay_credit_card_types_accepted',
        attributes: [
          { name: 'pay_credit_card_types_accepted', repeatedEnumValue: { setValues: ['visa'], unsetValues: ['visa'] } },
        ],
      },
      ['attributes.0.repeatedEnumValue.unsetValues.0'],
    ],
  ])('%s is 400 and never reaches the platform', async (_what, body, paths) => {
    const patches = await listing.patches(async () => {
      const answer = await listing.put('attributes', body);
      expect(answer.status).toBe(400);
      expect(Object.keys(answer.body.details.fields)).toEqual(paths);
    });
    expect(patches).toEqual([]);
  });

  it('names every problem at once, with hints', async () => {
    const { body } = await listing.put('attributes', {
      attributeMask: 'has_deliveri,url_menu',
      attributes: [
        { name: 'has_deliveri', values: [true] },
        { name: 'url_menu', values: ['https://a.example/'] },
      ],
    });
    expect(body.details.fields).toEqual({
      attributeMask: [expect.stringContaining('did you mean has_delivery?')],
      'attributes.1.values': [expect.stringContaining('send uriValues')],
    });
  });
});

describe('what may be said of a location', () => {
  it('is asked of the platform once, and again when the category changes', async () => {
    listing = await makeListing(app);
    const update = (name: string) =>
      listing.put('attributes', { attributeMask: name, attributes: [{ name, values: [true] }] });
    const asked = async (run: () => Promise<unknown>): Promise<number> => {
      await fetch(`${app.sandbox.url}/ledger`, { method: 'DELETE' });
      await run();
      const ledger = await fetch(`${app.sandbox.url}/ledger?path=/info/v1/attributes`);
      return ((await ledger.json()) as { entries: unknown[] }).entries.length;
    };
    expect(await asked(() => update('has_delivery'))).toBe(1);
    expect(await asked(() => update('has_restroom'))).toBe(0);
    expect((await update('serves_coffee')).status).toBe(400);
    await listing.put('location-details', {
      updateMask: 'categories',
      categories: { primaryCategory: { name: 'categories/gcid:cafe' }, additionalCategories: [] },
    });
    expect((await update('serves_coffee')).status).toBe(200);
  });

  it('is asked for again when a name may be new', async () => {
    listing = await makeListing(app);
    await listing.get('attribute-metadata');
    const _id = `${listing.accountId}:${listing.locationId}`;
    await app.app.services.db.listingKinds.updateOne(
      { _id },
      { $set: { kinds: [], askedAt: new Date(Date.now() - 3_600_000) } },
    );
    const answer = await listing.put('attributes', {
      attributeMask: 'has_delivery',
      attributes: [{ name: 'has_delivery', values: [true] }],
    });
    expect(answer.status).toBe(200);
  });
});
