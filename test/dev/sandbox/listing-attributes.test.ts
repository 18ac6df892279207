import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { challengeOf } from '../../../src/dev/sandbox/oauth/codes.ts';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import { client, violates, type Client } from './listing-client.ts';

let sandbox: Sandbox;
let shop: Client;
let path: string;
beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(async () => {
  shop = await client(sandbox.url);
  path = `info/v1/${shop.locations[0]?.name}/attributes`;
});
afterAll(() => sandbox.stop());

const named = (names: string): string =>
  names
    .split(' ')
    .map((name) => `attributes/${name}`)
    .join(',');
const write = (names: string, attributes: object[]) =>
  shop.call('PATCH', `${path}?attributeMask=${named(names)}`, { attributes });
const delivery = { name: 'attributes/has_delivery', values: [true] };

describe('attributes', () => {
  it('that are named and given are set, named alone deleted, given alone ignored', async () => {
    expect((await shop.call('GET', path)).body).toEqual({ name: path.slice('info/v1/'.length) });
    await write('has_delivery has_restroom', [delivery, { name: 'attributes/has_restroom', values: [false] }]);
    const { body } = await write('has_restroom', [{ name: 'attributes/has_curbside_pickup', values: [true] }]);
    expect(body.attributes).toEqual([{ ...delivery, valueType: 'BOOL' }]);
    expect((await shop.call('GET', path)).body.attributes).toEqual(body.attributes);
  });

  it('take the field of their type', async () => {
    const attributes = [
      { name: 'attributes/wi_fi', values: ['free_wi_fi'] },
      {
        name: 'attributes/pay_credit_card_types_accepted',
        repeatedEnumValue: { setValues: ['visa', 'mastercard'], unsetValues: ['american_express'] },
      },
      { name: 'attributes/url_menu', uriValues: [{ uri: 'https://shop.example/menu' }] },
    ];
    const { body } = await write('wi_fi pay_credit_card_types_accepted url_menu', attributes);
    expect(body.attributes).toMatchObject(attributes);
  });

  it('that are deprecated are taken and not kept', async () => {
    const { status, body } = await write('requires_masks_staff', [
      { name: 'attributes/requires_masks_staff', values: [true] },
    ]);
    expect([status, body.attributes]).toEqual([200, undefined]);
  });

  it.each([
    ['two values', 'has_delivery', [{ ...delivery, values: [true, false] }], 'attributes.attributes[0].values'],
    ['a text for a flag', 'has_delivery', [{ ...delivery, values: ['true'] }], 'attributes.attributes[0].values[0]'],
    [
      'the field of another type',
      'has_delivery',
      [{ ...delivery, uriValues: [{ uri: 'https://a.example' }] }],
      'attributes.attributes[0]',
    ],
    [
      'no address',
      'url_menu',
      [{ name: 'attributes/url_menu', uriValues: [{ uri: 'menu' }] }],
      'attributes.attributes[0].uri_values[0].uri',
    ],
  ])('refuse %s', async (_what, names, attributes, field) => {
    expect(await write(names, attributes)).toMatchObject(violates(field));
  });

  it.each([
    ['an unknown name', 'has_rockets', [], 'INVALID_ATTRIBUTE_NAME'],
    ['one of another kind of business', 'serves_breakfast', [], 'INVALID_ATTRIBUTE_NAME'],
    ['an unknown choice', 'wi_fi', [{ name: 'attributes/wi_fi', values: ['fast'] }], 'ATTRIBUTE_INVALID_ENUM_VALUE'],
  ])('refuse %s with the error code of the platform and the name', async (_what, names, attributes, reason) => {
    expect(await write(names, attributes)).toMatchObject({
      status: 400,
      body: { error: { details: [{ reason, metadata: { attribute_names: `attributes/${names}` } }] } },
    });
  });

  it.each(['sms:+14155550132', 'tel:+14155550132', 'https://wa.me/14155550132'])('take %s', async (uri) => {
    const attribute = { name: 'attributes/url_text_messaging', uriValues: [{ uri }] };
    expect((await write('url_text_messaging', [attribute])).status).toBe(200);
  });

  it('refuse no mask, a bare name and the name of another location', async () => {
    expect(await shop.call('PATCH', path, { attributes: [delivery] })).toMatchObject(violates('attribute_mask'));
    const bare = await shop.call('PATCH', `${path}?attributeMask=has_delivery`, { attributes: [delivery] });
    expect(bare).toMatchObject(violates('attribute_mask'));
    const other = { name: 'locations/1/attributes', attributes: [delivery] };
    expect(await shop.call('PATCH', `${path}?attributeMask=${delivery.name}`, other)).toMatchObject(
      violates('attributes.name'),
    );
  });

  it('that a location may have come with their types, by location, category or all', async () => {
    const ids = async (query: string): Promise<string[]> => {
      const { body } = await shop.call('GET', `info/v1/attributes?${query}`);
      return body.attributeMetadata.map(({ parent }: { parent: string }) => parent);
    };
    const place = 'regionCode=US&languageCode=en';
    expect(await ids(`parent=${shop.locations[1]?.name}`)).toContain('attributes/serves_breakfast');
    expect(await ids(`parent=${shop.locations[0]?.name}`)).not.toContain('attributes/serves_breakfast');
    expect(await ids(`categoryName=categories/gcid:cafe&${place}`)).toContain('attributes/serves_coffee');
    expect(await ids(`showAll=true&${place}`)).toContain('attributes/has_online_estimates');
    const first = (await shop.call('GET', `info/v1/attributes?showAll=true&${place}&pageSize=2`)).body;
    expect(first.attributeMetadata).toHaveLength(2);
    expect(await ids(`showAll=true&${place}&pageSize=200&pageToken=${first.nextPageToken}`)).not.toContain(
      first.attributeMetadata[0].parent,
    );
  });

  it('stand beside categories that are found by name', async () => {
    const query = 'regionCode=US&languageCode=en&view=FULL&filter=displayName=landscaper';
    const { body } = await shop.call('GET', `info/v1/categories?${query}`);
    expect(body.categories).toMatchObject([{ name: 'categories/gcid:landscaper', serviceTypes: expect.any(Array) }]);
    expect(await shop.call('GET', 'info/v1/categories?languageCode=en')).toMatchObject(violates('region_code'));
  });
});

describe('tokens', () => {
  const token = async (fields: Record<string, string>) => {
    const app = { client_id: 'sandbox-app', client_secret: 'sandbox-app-secret' };
    const body = new URLSearchParams({ ...app, ...fields });
    const response = await fetch(`${sandbox.url}/listing/token`, { method: 'POST', body });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };
  const refresh = (refreshToken: string) => token({ grant_type: 'refresh_token', refresh_token: refreshToken });

  it('that are missing, unknown, expired or revoked answer 401', async () => {
    const status = { status: 401, body: { error: { status: 'UNAUTHENTICATED' } } };
    expect(await shop.call('GET', path, undefined, { token: null })).toMatchObject(status);
    expect(await shop.call('GET', path, undefined, { token: 'ya29.nonsense' })).toMatchObject(status);
    for (const action of ['expire', 'invalidate']) {
      await shop.control(`tokens/${action}`, { token: shop.accessToken });
      expect(await shop.call('GET', path)).toMatchObject(status);
    }
    await shop.control('tokens/restore', { token: shop.accessToken });
    expect((await shop.call('GET', path)).status).toBe(200);
  });

  it('are renewed by a refresh token, which stays', async () => {
    const { body } = await refresh(shop.refreshToken);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3599, scope: expect.any(String) });
    expect('refresh_token' in body).toBe(false);
    expect((await shop.call('GET', path, undefined, { token: body['access_token'] })).status).toBe(200);
    expect((await refresh(shop.refreshToken)).status).toBe(200);
    await shop.control('refresh-tokens/invalidate', { token: shop.refreshToken });
    expect(await refresh(shop.refreshToken)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await refresh(shop.accessToken)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('refuse a strange application and a strange kind of grant', async () => {
    const wrong = { grant_type: 'refresh_token', refresh_token: shop.refreshToken, client_secret: 'guessed' };
    expect(await token(wrong)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(await token({ grant_type: 'password' })).toMatchObject({ body: { error: 'unsupported_grant_type' } });
    expect(await token({ grant_type: 'authorization_code', code: 'guessed', redirect_uri: 'x' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });

  it('have verifiers that are answered by their challenge alone', () => {
    expect(challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
      'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    );
  });
});
