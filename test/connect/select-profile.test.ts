import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { tokenIn } from '../support/encrypted.ts';
import { startConnectApp } from '../support/consent.ts';
import type { TestApp } from '../support/app.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';
import { consented, newPerson } from './select.ts';

interface ProfilePerson {
  accessToken: string;
  refreshToken: string;
  user: { id: string; username: string; displayName: string };
  publicProfiles: { id: string; display_name: string; snap_user_name: string }[];
}

let app: TestApp;
let fixture: UserFixture;
let person: ProfilePerson;
const path = '/v1/connect/ephemeral-messaging/select-profile';

beforeAll(async () => {
  app = await startConnectApp({ PLATFORM_TIMEOUT_SECONDS: '4' });
  fixture = await createUserFixture(app);
  person = await newPerson<ProfilePerson>(app, 'ephemeral-messaging', { profiles: 120 });
});
afterAll(() => app.stop());
afterEach(async () => {
  await fetch(`${app.sandbox.url}/control/faults`, { method: 'DELETE' });
  await control('allow-list', { allowed: true });
});

const control = (what: string, body: object) =>
  fetch(`${app.sandbox.url}/control/ephemeral-messaging/${what}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
const accounts = () => app.app.services.db.accounts;
const chosen = (at = 0) => ({ id: person.publicProfiles[at]!.id, display_name: 'What the caller says' });
const body = (change: object = {}): Record<string, unknown> => ({
  profileId: fixture.profileId,
  selectedPublicProfile: chosen(),
  tempToken: person.accessToken,
  userProfile: person.user,
  ...change,
});
const select = (change: object = {}, options: object = { key: fixture.key }) =>
  app.call('POST', path, { body: body(change), ...options });
const asGraphql = (change: object = {}, options: object = { key: fixture.key }) =>
  app.graphql(
    'mutation ($input: SelectEphemeralMessagingProfileInput!) { selectEphemeralMessagingProfile(input: $input) { message account { accountId platform publicProfileName } } }',
    { input: body(change) },
    options,
  );
const codeOf = (answer: { body: { errors?: { extensions: { code: string } }[] } }) =>
  answer.body.errors?.[0]?.extensions.code;
const fault = (name: string, match: string) =>
  fetch(`${app.sandbox.url}/control/faults`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ platform: 'ephemeral-messaging', fault: name, match: { path: match }, times: 10 }),
  });

describe('the list', () => {
  it('has the public profiles of all organizations, to the end', async () => {
    const query = new URLSearchParams({ profileId: fixture.profileId, tempToken: person.accessToken });
    const { status, body: answer } = await app.call('GET', `${path}?${query}`, { key: fixture.key });
    expect(status).toBe(200);
    expect(answer.publicProfiles).toHaveLength(120);
    expect(answer.publicProfiles[0]).toEqual({
      id: person.publicProfiles[0]!.id,
      display_name: person.publicProfiles[0]!.display_name,
      username: person.publicProfiles[0]!.snap_user_name,
      profile_image_url: expect.stringContaining('https://'),
      subscriber_count: 1200,
    });
  });

  it('leaves out what the platform could not read', async () => {
    const other = await newPerson<ProfilePerson>(app, 'ephemeral-messaging');
    await control('profiles/fail', { id: other.publicProfiles[1]!.id, reason: 'E1' });
    const query = { profileId: fixture.profileId, tempToken: other.accessToken };
    const answer = await app.graphql(
      'query ($profileId: ID!, $tempToken: String!) { connectPublicProfiles(profileId: $profileId, tempToken: $tempToken) { publicProfiles { id } } }',
      query,
      { key: fixture.key },
    );
    expect(answer.body.data.connectPublicProfiles.publicProfiles).toHaveLength(2);
  });
});

describe('an organization that the user has no role in', () => {
  it('is listed as refused in both APIs, and the profiles of the others are offered', async () => {
    const other = await newPerson<ProfilePerson & { userId: string; organizations: { id: string; name: string }[] }>(
      app,
      'ephemeral-messaging',
    );
    const [, partner] = other.organizations;
    await control('organizations/role', { userId: other.userId, id: partner?.id, has: false });
    const query = { profileId: fixture.profileId, tempToken: other.accessToken };
    const rest = await app.call('GET', `${path}?${new URLSearchParams(query)}`, { key: fixture.key });
    expect(rest).toMatchObject({ status: 200, body: { refused: [{ id: partner?.id, name: partner?.name }] } });
    expect(rest.body.publicProfiles).toHaveLength(2);
    const graphql = await app.graphql(
      'query ($profileId: ID!, $tempToken: String!) { connectPublicProfiles(profileId: $profileId, tempToken: $tempToken) { publicProfiles { id } refused { id name } } }',
      query,
      { key: fixture.key },
    );
    expect(graphql.body.data.connectPublicProfiles).toEqual({
      publicProfiles: rest.body.publicProfiles.map(({ id }: { id: string }) => ({ id })),
      refused: rest.body.refused,
    });
  });

  it('does not hide that the platform allows nothing to this installation', async () => {
    await control('allow-list', { allowed: false });
    const query = new URLSearchParams({ profileId: fixture.profileId, tempToken: person.accessToken });
    expect((await app.call('GET', `${path}?${query}`, { key: fixture.key })).status).not.toBe(200);
  });
});

describe('a selection', () => {
  it('200: with the handle of the redirect and the connect token alone', async () => {
    const { params, tempToken, connectToken, userProfile } = await consented(app, fixture, 'ephemeral-messaging');
    expect(params).toMatchObject({ step: 'select_profile', platform: 'ephemeral-messaging' });
    expect(userProfile).toMatchObject({ id: expect.any(String), displayName: 'Ada' });
    const headers = { 'X-Connect-Token': connectToken };
    const query = new URLSearchParams({ profileId: fixture.profileId, tempToken });
    const { publicProfiles } = (await app.call('GET', `${path}?${query}`, { headers })).body;
    const selectedPublicProfile = publicProfiles[1];
    const answer = await select(
      { selectedPublicProfile, tempToken, userProfile, redirect_url: 'https://app.example/' },
      { headers },
    );
    expect(answer).toMatchObject({
      status: 200,
      body: {
        redirect_url: expect.stringContaining('connected=ephemeral-messaging'),
        account: { platform: 'ephemeral-messaging', publicProfileName: 'Ada 2', isActive: true },
      },
    });
    const doc = await accounts().findOne({ _id: answer.body.account.accountId }).lean().orFail();
    expect(tokenIn(app.app.services.encrypter, doc, 'encryptedRefreshToken')).toMatch(/^hCgsKCz/);
    expect(doc.tokenExpiresAt!.getTime() - Date.now()).toBeGreaterThan(3_500_000);
  });

  it('200: with a token that the caller brought, and what came beside it', async () => {
    const answer = await select({ refreshToken: person.refreshToken, expiresIn: 1800 });
    const { account } = answer.body;
    expect(account).toMatchObject({ displayName: 'Raw Shop', publicProfileName: 'Raw Shop' });
    const doc = await accounts().findOne({ _id: account.accountId }).lean().orFail();
    const { encrypter } = app.app.services;
    expect(tokenIn(encrypter, doc, 'encryptedToken')).toBe(person.accessToken);
    expect(tokenIn(encrypter, doc, 'encryptedRefreshToken')).toBe(person.refreshToken);
    expect(doc.tokenExpiresAt!.getTime() - Date.now()).toBeLessThan(1_800_001);
  });

  it('never loses a refresh token because a later answer brought none', async () => {
    const selectedPublicProfile = chosen(3);
    const first = await select({ selectedPublicProfile, refreshToken: person.refreshToken });
    const second = await select({ selectedPublicProfile });
    const { accountId } = second.body.account;
    expect(accountId).toBe(first.body.account.accountId);
    const doc = await accounts().findOne({ _id: accountId }).lean().orFail();
    expect(tokenIn(app.app.services.encrypter, doc, 'encryptedRefreshToken')).toBe(person.refreshToken);
  });

  it('200: through the other API', async () => {
    const { body: answer } = await asGraphql({ selectedPublicProfile: chosen(4) });
    expect(answer.data.selectEphemeralMessagingProfile.account).toMatchObject({
      platform: 'EPHEMERAL_MESSAGING',
      publicProfileName: 'Raw Shop 5',
    });
  });
});

describe('a refused selection', () => {
  it.each(['profileId', 'selectedPublicProfile', 'tempToken', 'userProfile'])('400: without %s', async (param) => {
    const { [param]: _left, ...rest } = body();
    expect(await app.call('POST', path, { key: fixture.key, body: rest })).toMatchObject({
      status: 400,
      body: { code: 'missing_required_field', param },
    });
  });

  it.each([
    ['selectedPublicProfile.id', { selectedPublicProfile: { display_name: 'x' } }],
    ['selectedPublicProfile.display_name', { selectedPublicProfile: { id: 'x' } }],
    ['userProfile.id', { userProfile: { username: 'x' } }],
  ])('400: without %s', async (param, change) => {
    expect(await select(change)).toMatchObject({ status: 400, body: { code: 'missing_required_field', param } });
    expect(codeOf(await asGraphql(change))).toBe('missing_required_field');
  });

  it('400: a public profile of another user', async () => {
    const other = await newPerson<ProfilePerson>(app, 'ephemeral-messaging');
    const selectedPublicProfile = { id: other.publicProfiles[0]!.id, display_name: 'Mine' };
    expect(await select({ selectedPublicProfile })).toMatchObject({
      status: 400,
      body: { code: 'invalid_field_value', param: 'selectedPublicProfile.id' },
    });
    expect(codeOf(await asGraphql({ selectedPublicProfile }))).toBe('invalid_field_value');
  });

  it('401: without credentials, and with a token that the platform refuses', async () => {
    expect(await select({}, {})).toMatchObject({ status: 401, body: { code: 'missing_credentials' } });
    expect(await select({ tempToken: 'no-token' })).toMatchObject({
      status: 401,
      body: { code: 'platform_token_expired', platform: 'ephemeral-messaging' },
    });
  });

  it('401: with the handle of another platform', async () => {
    const { tempToken } = await consented(app, fixture, 'social-network');
    expect(await select({ tempToken })).toMatchObject({ status: 401, body: { code: 'platform_token_expired' } });
  });

  it('403: no access to the profile, and a profile beyond the plan', async () => {
    expect(await select({ profileId: 'f'.repeat(24) })).toMatchObject({
      status: 403,
      body: { code: 'profile_forbidden' },
    });
    const small = await createUserFixture(app, { plan: 'free' });
    const { db } = app.app.services;
    await db.profiles.create([2, 3].map((slot) => ({ userId: small.userId, name: `P${slot}`, slot })));
    const third = await db.profiles.findOne({ userId: small.userId, slot: 3 }).lean().orFail();
    expect(await select({ profileId: third._id }, { key: small.key })).toMatchObject({
      status: 403,
      body: { code: 'profile_limit_exceeded' },
    });
  });

  it.each(['http_500', 'html_502', 'malformed'])('500: the platform fails (%s), and nothing is left', async (name) => {
    await fault(name, 'public_profiles');
    expect(await select({ selectedPublicProfile: chosen(7) })).toMatchObject({
      status: 500,
      body: { code: 'connection_failed' },
    });
    expect(await accounts().countDocuments({ platformAccountId: chosen(7).id })).toBe(0);
  });

  it('500: the platform has not let the app in, which it says with an empty 403', async () => {
    await control('allow-list', { allowed: false });
    const answer = await select({ selectedPublicProfile: chosen(8) });
    expect(answer).toMatchObject({ status: 500, body: { code: 'connection_failed' } });
    expect(answer.body.error).toContain('lacks the permission');
    expect(codeOf(await asGraphql({ selectedPublicProfile: chosen(8) }))).toBe('connection_failed');
  });
});
