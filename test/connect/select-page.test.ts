import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/lib/hash.ts';
import { findOperation } from '../../src/operations/index.ts';
import { walk } from '../support/consent.ts';
import { tokenIn } from '../support/encrypted.ts';
import { startConnectApp } from '../support/consent.ts';
import type { Answer, TestApp } from '../support/app.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';
import { consented, newPerson } from './select.ts';

interface NetworkPerson {
  userId: string;
  accessToken: string;
  pages: { id: string; name: string; accessToken: string; tasks: string[] }[];
  businesses: { ownedPages: { id: string }[]; clientPages: { id: string }[] }[];
}

let app: TestApp;
let fixture: UserFixture;
let person: NetworkPerson;
const path = '/v1/connect/social-network/select-page';
const none = { key: '' };

beforeAll(async () => {
  app = await startConnectApp({ PLATFORM_TIMEOUT_SECONDS: '4' });
  fixture = await createUserFixture(app);
  person = await newPerson<NetworkPerson>(app, 'network-a', { pages: 130 });
});
afterAll(() => app.stop());
afterEach(() => fetch(`${app.sandbox.url}/control/faults`, { method: 'DELETE' }));

const accounts = () => app.app.services.db.accounts;
const own = () => person.pages[0]!;
const body = (change: object = {}): Record<string, unknown> => ({
  profileId: fixture.profileId,
  pageId: own().id,
  tempToken: person.accessToken,
  userProfile: { id: person.userId, name: 'Raw Shop' },
  ...change,
});
const select = (change: object = {}, options: object = { key: fixture.key }) =>
  app.call('POST', path, { body: body(change), ...options });
const asGraphql = (change: object = {}, options: object = { key: fixture.key }) =>
  app.graphql(
    'mutation ($input: SelectSocialNetworkPageInput!) { selectSocialNetworkPage(input: $input) { message redirect_url account { accountId platform selectedPageName } } }',
    { input: body(change) },
    options,
  );
const codeOf = (answer: { body: { errors?: { extensions: { code: string } }[] } }) =>
  answer.body.errors?.[0]?.extensions.code;
const fault = (name: string, match: string, times = 10) =>
  fetch(`${app.sandbox.url}/control/faults`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ platform: 'network-a', fault: name, match: { path: match }, times }),
  });

describe('the redirect', () => {
  it('names the step, the person and two secrets, and no token of the platform', async () => {
    const { params, userProfile } = await consented(app, fixture, 'social-network', { query: { state: 'mine' } });
    expect(params).toMatchObject({
      step: 'select_page',
      platform: 'network-a',
      profileId: fixture.profileId,
      state: 'mine',
      tempToken: expect.stringMatching(/^tt_[0-9a-f]{64}$/),
      connect_token: expect.stringMatching(/^ct_[0-9a-f]{64}$/),
    });
    expect(userProfile).toMatchObject({ id: expect.any(String), name: 'Ada' });
    expect(JSON.stringify(params)).not.toContain('EAA');
  });
});

describe('the list', () => {
  const list = (tempToken: string, options: object = { key: fixture.key }) =>
    app.call('GET', `${path}?${new URLSearchParams({ profileId: fixture.profileId, tempToken })}`, options);

  it('has every page, those of businesses too, and says which cannot be chosen', async () => {
    const answer = await list(person.accessToken);
    const ids = answer.body.pages.map(({ id }: { id: string }) => id);
    const [business] = person.businesses;
    expect(ids).toHaveLength(132);
    expect(ids).toEqual(expect.arrayContaining([business!.ownedPages[0]!.id, business!.clientPages[0]!.id]));
    expect(answer.body.refused).toEqual([{ id: person.pages.at(-1)!.id, name: person.pages.at(-1)!.name }]);
    expect(JSON.stringify(answer.body)).not.toMatch(/EAA/);
  });

  it('takes the handle as often as one likes, and the connect token alone', async () => {
    const { tempToken, connectToken } = await consented(app, fixture, 'social-network');
    for (let turn = 0; turn < 2; turn += 1) {
      const answer = await list(tempToken, { headers: { 'X-Connect-Token': connectToken } });
      expect(answer).toMatchObject({ status: 200 });
      expect(answer.body.pages).toHaveLength(3);
    }
    const graphql = await app.graphql(
      'query ($profileId: ID!, $tempToken: String!) { connectPages(profileId: $profileId, tempToken: $tempToken) { pages { id name } } }',
      { profileId: fixture.profileId, tempToken },
      { headers: { 'X-Connect-Token': connectToken } },
    );
    expect(graphql.body.data.connectPages.pages).toHaveLength(3);
  });

  it('401: a token that the platform refuses', async () => {
    expect(await list('no-token')).toMatchObject({ status: 401, body: { code: 'platform_token_expired' } });
  });

  it('is never half a list', async () => {
    await fault('http_500', 'me/businesses');
    expect(await list(person.accessToken)).toMatchObject({ status: 502, body: { code: 'platform_api_error' } });
  });
});

describe('a selection', () => {
  it('200: answers the document shape and stores the token of the page, that of the person for ads', async () => {
    const answer = await select({ redirect_url: 'myapp://done?x=1#here' });
    expect(answer.status).toBe(200);
    const { account, message, redirect_url: redirect } = answer.body;
    expect(message).toContain('Raw Shop');
    expect(account).toEqual({
      accountId: expect.any(String),
      platform: 'network-a',
      username: 'Raw Shop',
      displayName: 'Raw Shop',
      profilePicture: expect.any(String),
      isActive: true,
      selectedPageName: 'Raw Shop',
    });
    expect(redirect).toBe(
      `myapp://done?x=1&connected=network-a&profileId=${fixture.profileId}&accountId=${account.accountId}&username=Raw%20Shop#here`,
    );
    const doc = await accounts().findOne({ _id: account.accountId }).lean().orFail();
    const { encrypter } = app.app.services;
    expect(tokenIn(encrypter, doc, 'encryptedToken')).toBe(own().accessToken);
    expect(tokenIn(encrypter, doc, 'encryptedAdsToken')).toMatch(/^EAAL/);
    expect(tokenIn(encrypter, doc, 'encryptedAdsToken')).not.toBe(person.accessToken);
    const ads = await app.call('GET', `/v1/ads/accounts?accountId=${account.accountId}`, { key: fixture.key });
    expect(ads.status).toBe(200);
  });

  it('leaves redirect_url out when none was given', async () => {
    expect((await select()).body).not.toHaveProperty('redirect_url');
  });

  it('keeps the id of a page that is connected again, on both APIs', async () => {
    const first = (await select()).body.account.accountId;
    expect((await select()).body.account.accountId).toBe(first);
    expect((await asGraphql()).body.data.selectSocialNetworkPage.account).toMatchObject({
      accountId: first,
      platform: 'NETWORK_A',
    });
  });

  it('makes one account of many selections at once', async () => {
    const pageId = person.pages[1]!.id;
    const answers = await Promise.all(Array.from({ length: 8 }, () => select({ pageId })));
    expect(new Set(answers.map((answer) => answer.body.account?.accountId)).size).toBe(1);
    const doc = await accounts().findOne({ platformAccountId: pageId }).lean().orFail();
    expect(doc.sequence).toBe(8);
  });

  it('counts the units of an operation against the connect token, on both APIs', async () => {
    const { tempToken, connectToken } = await consented(app, fixture, 'social-network');
    const headers = { 'X-Connect-Token': connectToken };
    const query = new URLSearchParams({ profileId: fixture.profileId, tempToken });
    const left = ({ headers: sent }: Answer): number => Number(sent.get('x-ratelimit-remaining'));
    const first = await app.call('GET', `${path}?${query}`, { headers });
    const document = `{ connectPages(profileId: "${fixture.profileId}", tempToken: "${tempToken}") { pages { id } } }`;
    const second = await app.graphql(document, {}, { headers });
    const weight = findOperation('connectPages')?.weight ?? 0;
    expect(weight).toBeGreaterThan(1);
    expect(left(first) - left(second)).toBe(weight);
  });

  it('uses the handle up, but not by failing', async () => {
    const { tempToken, connectToken, userProfile } = await consented(app, fixture, 'social-network');
    const headers = { 'X-Connect-Token': connectToken };
    const refused = await select({ tempToken, userProfile, pageId: '1' }, { headers });
    expect(refused).toMatchObject({ status: 404, body: { code: 'page_not_available' } });
    const query = new URLSearchParams({ profileId: fixture.profileId, tempToken });
    const { pages } = (await app.call('GET', `${path}?${query}`, { headers })).body;
    const good = await select({ tempToken, userProfile, pageId: pages[0].id }, { headers });
    expect(good).toMatchObject({ status: 200 });
    const again = await select({ tempToken, userProfile, pageId: pages[0].id }, { headers });
    expect(again).toMatchObject({ status: 401, body: { code: 'platform_token_expired', param: 'tempToken' } });
  });

  it('lets one of many at once have the handle', async () => {
    const { tempToken, userProfile } = await consented(app, fixture, 'social-network');
    const query = new URLSearchParams({ profileId: fixture.profileId, tempToken });
    const { pages } = (await app.call('GET', `${path}?${query}`, { key: fixture.key })).body;
    const answers = await Promise.all(
      pages.map(({ id }: { id: string }) => select({ tempToken, userProfile, pageId: id })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401]);
  });

  it('connects the photo-sharing account of a page when the flow began for that', async () => {
    const { tempToken, userProfile } = await consented(app, fixture, 'network-b');
    const query = new URLSearchParams({ profileId: fixture.profileId, tempToken });
    const { pages } = (await app.call('GET', `${path}?${query}`, { key: fixture.key })).body;
    expect(pages).toHaveLength(1);
    const { account } = (await select({ tempToken, userProfile, pageId: pages[0].id })).body;
    expect(account).toMatchObject({ platform: 'network-b', username: pages[0].photoUsername });
  });

  it('is stored under an Idempotency-Key', async () => {
    const options = { key: fixture.key, headers: { 'Idempotency-Key': 'select-1' } };
    const [first, second] = [await select({}, options), await select({}, options)];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  it('publishes events in order', async () => {
    const { accountId } = (await select({ pageId: person.pages[2]!.id })).body.account;
    await app.call('DELETE', `/v1/accounts/${accountId}`, { key: fixture.key });
    expect((await select({ pageId: person.pages[2]!.id })).body.account.accountId).toBe(accountId);
    const published = async (): Promise<unknown[]> => {
      const { webhookEvents } = app.app.services.db;
      const events = await webhookEvents.find({ userId: fixture.userId }).sort({ occurredAt: 1 }).lean();
      return events.flatMap(({ type, body: sent }) => {
        const { account } = JSON.parse(sent) as { account?: { accountId: string; sequence: number } };
        return account?.accountId === accountId ? [[type, account?.sequence]] : [];
      });
    };
    await expect.poll(published).toEqual([
      ['account.connected', 1],
      ['account.disconnected', 2],
      ['account.connected', 3],
    ]);
  });
});

describe('a refused selection', () => {
  it.each(['profileId', 'pageId', 'tempToken', 'userProfile'])('400: without %s', async (param) => {
    const { [param]: _left, ...rest } = body();
    const answer = await app.call('POST', path, { key: fixture.key, body: rest });
    expect(answer).toMatchObject({ status: 400, body: { code: 'missing_required_field', param } });
    const graphql = await app.graphql(
      'mutation ($input: SelectSocialNetworkPageInput!) { selectSocialNetworkPage(input: $input) { message } }',
      { input: rest },
      { key: fixture.key },
    );
    expect(codeOf(graphql)).toBe('missing_required_field');
  });

  it('400: names all that is missing at once', async () => {
    const answer = await app.call('POST', path, { key: fixture.key, body: {} });
    expect(Object.keys(answer.body.details.fields)).toEqual(['profileId', 'pageId', 'tempToken', 'userProfile']);
  });

  it('401: without credentials', async () => {
    expect(await select({}, none)).toMatchObject({ status: 401, body: { code: 'missing_credentials' } });
    expect(codeOf(await asGraphql({}, none))).toBe('missing_credentials');
  });

  it('401: with a token that the platform refuses', async () => {
    expect(await select({ tempToken: 'no-token' })).toMatchObject({
      status: 401,
      body: { code: 'platform_token_expired', platform: 'A' },
    });
    expect(codeOf(await asGraphql({ tempToken: 'no-token' }))).toBe('platform_token_expired');
  });

  it('401: with a handle that has expired', async () => {
    const { tempToken } = await consented(app, fixture, 'social-network');
    await app.app.services.db.connectGrants.updateMany({}, { $set: { expiresAt: new Date() } });
    expect(await select({ tempToken })).toMatchObject({ status: 401, body: { code: 'platform_token_expired' } });
  });

  it('403: a read-only key', async () => {
    const { key } = await fixture.keyWith({ permission: 'read' });
    expect(await select({}, { key })).toMatchObject({ status: 403, body: { code: 'insufficient_permissions' } });
  });

  it('403: a profile that the key does not reach, known or not', async () => {
    const other = await createUserFixture(app);
    for (const profileId of [other.profileId, 'f'.repeat(24)]) {
      expect(await select({ profileId })).toMatchObject({ status: 403, body: { code: 'profile_forbidden' } });
      expect(codeOf(await asGraphql({ profileId }))).toBe('profile_forbidden');
    }
  });

  it('403: a profile that the plan does not hold', async () => {
    const small = await createUserFixture(app, { plan: 'free', addons: ['ads'] });
    const extra = await app.call('POST', '/v1/profiles', { key: small.key, body: { name: 'Second' } });
    await app.app.services.db.profiles.create({ userId: small.userId, name: 'Third', slot: 3 });
    const third = await app.app.services.db.profiles.findOne({ userId: small.userId, slot: 3 }).lean().orFail();
    const options = { key: small.key };
    expect(await select({ profileId: third._id }, options)).toMatchObject({
      status: 403,
      body: { code: 'profile_limit_exceeded' },
    });
    const begun = await app.call('GET', `/v1/connect/social-network?profileId=${third._id}`, options);
    expect(begun).toMatchObject({ status: 403, body: { code: 'profile_limit_exceeded' } });
    expect((await select({ profileId: extra.body.profile._id }, options)).status).toBe(200);
  });

  it.each(['a stranger', 'view only'])('404: a page of %s', async (whose) => {
    const pageId = whose === 'a stranger' ? '1234567' : person.pages.at(-1)!.id;
    expect(await select({ pageId })).toMatchObject({
      status: 404,
      body: { code: 'page_not_available', param: 'pageId', platform: 'A' },
    });
    expect(codeOf(await asGraphql({ pageId }))).toBe('page_not_available');
  });

  it('409: a page that is connected to another profile, also for a key that reaches only the other', async () => {
    await select();
    const made = await app.call('POST', '/v1/profiles', { key: fixture.key, body: { name: 'Elsewhere' } });
    const profileId = made.body.profile._id;
    const { key } = await fixture.keyWith({ scope: 'profiles', profileIds: [profileId] });
    for (const options of [{ key: fixture.key }, { key }]) {
      expect(await select({ profileId }, options)).toMatchObject({
        status: 409,
        body: { code: 'reconnect_account_mismatch' },
      });
    }
  });

  it.each(['http_500', 'malformed', 'timeout_before', 'policy_block'])(
    '500: the platform fails (%s), and nothing is left behind',
    async (name) => {
      const pageId = person.pages[5]!.id;
      await fault(name, 'me/accounts');
      expect(await select({ pageId })).toMatchObject({
        status: 500,
        body: { code: 'connection_failed', type: 'api_error', platform: 'A' },
      });
      expect(await accounts().countDocuments({ platformAccountId: pageId })).toBe(0);
    },
  );

  it('429: the platform asks to wait', async () => {
    await fault('rate_limited', 'me/accounts');
    const answer = await select();
    expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited', platform: 'A' } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('a connect token', () => {
  it('opens nothing but connecting, on neither API', async () => {
    const { connectToken } = await consented(app, fixture, 'social-network');
    const headers = { 'X-Connect-Token': connectToken };
    expect(await app.call('GET', '/v1/accounts', { headers })).toMatchObject({ status: 401 });
    expect(await app.call('GET', '/v1/me', { headers })).toMatchObject({ status: 401 });
    for (const query of [
      '{ viewer { user { id } } }',
      `subscription { deliveries(webhookId: "${'f'.repeat(24)}") { __typename } }`,
      '{ __schema { types { name } } }',
      'mutation { createApiKey(input: { name: "x" }) { message } }',
      'fragment f on Query { accounts { edges { node { id } } } } query { ...f }',
    ]) {
      expect(codeOf(await app.graphql(query, {}, { headers }))).toBe('insufficient_permissions');
    }
  });

  it('is for one profile and one platform', async () => {
    const { connectToken } = await consented(app, fixture, 'social-network');
    const headers = { 'X-Connect-Token': connectToken };
    const made = await app.call('POST', '/v1/profiles', { key: fixture.key, body: { name: `P${Date.now()}` } });
    expect(await select({ profileId: made.body.profile._id }, { headers })).toMatchObject({
      status: 403,
      body: { code: 'profile_forbidden' },
    });
    const other = await app.call('GET', `/v1/connect/listing?profileId=${fixture.profileId}`, { headers });
    expect(other).toMatchObject({ status: 403, body: { code: 'insufficient_permissions' } });
    const profiles = '/v1/connect/ephemeral-messaging/select-profile';
    const query = new URLSearchParams({ profileId: fixture.profileId, tempToken: 'raw' });
    expect(await app.call('GET', `${profiles}?${query}`, { headers })).toMatchObject({ status: 403 });
  });

  it('403: for another platform, before the request is parsed', async () => {
    const { connectToken } = await consented(app, fixture, 'social-network');
    const headers = { 'X-Connect-Token': connectToken };
    const error = { code: 'insufficient_permissions' };
    for (const [method, path] of [
      ['GET', '/v1/connect/listing'],
      ['GET', '/v1/connect/network-c/ads'],
      ['GET', '/v1/connect/ephemeral-messaging/select-profile'],
      ['POST', '/v1/connect/ephemeral-messaging/select-profile'],
    ] as const)
      expect(await app.call(method, `${path}?nothing=1`, { headers })).toMatchObject({ status: 403, body: error });
    for (const document of [
      'mutation { startConnect(input: { platform: LISTING, nothing: 1 }) { authUrl } }',
      'mutation ($platform: ConnectPlatform!) { a: startConnect(input: { platform: $platform }) { authUrl } }',
      'mutation ($input: StartConnectInput!) { startConnect(input: $input) { nothing } }',
      'mutation { selectEphemeralMessagingProfile(input: {}) { message } }',
      '{ connectPublicProfiles(nothing: 1) { __typename } }',
    ])
      expect(
        codeOf(await app.graphql(document, { platform: 'LISTING', input: { platform: 'LISTING' } }, { headers })),
      ).toBe(error.code);
    expect((await app.call('GET', '/v1/connect/network-a?nothing=1', { headers })).status).toBe(400);
  });

  it('403: beside a key of another user', async () => {
    const { connectToken, tempToken } = await consented(app, fixture, 'social-network');
    const other = await createUserFixture(app);
    const options = { key: other.key, headers: { 'X-Connect-Token': connectToken } };
    expect(await select({ tempToken }, options)).toMatchObject({ status: 403 });
    expect((await select({ tempToken }, { key: other.key })).status).toBe(403);
    expect(await select({ tempToken, profileId: other.profileId }, { key: other.key })).toMatchObject({
      status: 401,
      body: { code: 'platform_token_expired' },
    });
  });

  it('creates no connect token that expires later, on either API, however often', async () => {
    const grants = app.app.services.db.connectGrants;
    const end = new Date(Date.now() + 120_000);
    let { connectToken } = await consented(app, fixture, 'social-network');
    await grants.updateOne({ tokenHash: sha256(connectToken) }, { $set: { expiresAt: end } });
    for (const api of ['REST', 'GraphQL', 'REST']) {
      const headers = { 'X-Connect-Token': connectToken };
      const asked = { profileId: fixture.profileId, redirect_url: 'https://app.example/next' };
      const begun =
        api === 'REST'
          ? (await app.call('GET', `/v1/connect/social-network?${new URLSearchParams(asked)}`, { headers })).body
          : (
              await app.graphql(
                'mutation ($input: StartConnectInput!) { startConnect(input: $input) { authUrl state } }',
                { input: { platform: 'SOCIAL_NETWORK', profileId: asked.profileId, redirect_url: asked.redirect_url } },
                { headers },
              )
            ).body.data.startConnect;
      const state = await app.app.services.db.connectStates.findOne({ stateHash: sha256(begun.state) }).lean();
      expect(state?.expiresAt).toEqual(end);
      connectToken = (await walk(begun.authUrl, {})).url.searchParams.get('connect_token') ?? '';
      expect((await grants.findOne({ tokenHash: sha256(connectToken) }).lean())?.expiresAt).toEqual(end);
    }
  });

  it('ends no later than the key that began', async () => {
    const expiresAt = new Date(Date.now() + 60_000);
    const { key } = await fixture.keyWith({ expiresAt });
    const { connectToken } = await consented(app, { ...fixture, key }, 'social-network');
    const grant = await app.app.services.db.connectGrants.findOne({ tokenHash: sha256(connectToken) }).lean();
    expect(grant?.expiresAt).toEqual(expiresAt);
  });

  it('401: unknown, expired, or of a key that was revoked', async () => {
    const unknown = { headers: { 'X-Connect-Token': `ct_${'0'.repeat(64)}` } };
    expect(await select({}, unknown)).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    const { id, key } = await fixture.keyWith({});
    const { connectToken } = await consented(app, { ...fixture, key }, 'social-network');
    await app.call('DELETE', `/v1/api-keys/${id}`, { key: fixture.key });
    expect(await select({}, { headers: { 'X-Connect-Token': connectToken } })).toMatchObject({ status: 401 });
  });
});
