import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refreshedAccount } from '../../src/services/accounts/refresh-token.ts';
import type { Answer, TestApp } from '../support/app.ts';
import { personAt, startConnectApp, walk } from '../support/consent.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;

beforeAll(async () => {
  app = await startConnectApp();
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

type Params = Record<string, string>;
const call = (method: string, path: string, body?: object): Promise<Answer> =>
  app.call(method, path, { key: fixture.key, ...(body && { body }) });

/** Connects, with these of the boxes left ticked, to the end of every step. */
async function connect(platform: string, granted: string[] | undefined, who: Params = {}): Promise<Params> {
  const query = new URLSearchParams({ profileId: fixture.profileId, redirect_url: 'https://app.example/next', ...who });
  query.delete('person');
  const { body } = await call('GET', `/v1/connect/${platform}?${query}`);
  const { url } = await walk(body.authUrl, who['person'] ? { person: who['person'] } : {}, granted);
  const params = Object.fromEntries(url.searchParams);
  if (params['step'] !== 'select_page') return params;
  const { profileId } = fixture;
  const { tempToken = '' } = params;
  const path = '/v1/connect/social-network/select-page';
  const { pages } = (await call('GET', `${path}?${new URLSearchParams({ profileId, tempToken })}`)).body;
  const chosen = { profileId, tempToken, pageId: pages[0].id, userProfile: JSON.parse(params['userProfile'] ?? '{}') };
  return (await call('POST', path, chosen)).body.account;
}

const asked = async (platform: string): Promise<string[]> => {
  const { body } = await call('GET', `/v1/connect/${platform}?profileId=${fixture.profileId}`);
  return (new URL(body.authUrl).searchParams.get('scope') ?? '').split(/[ ,]/);
};
const health = async (accountId = ''): Promise<Answer['body']> =>
  (await call('GET', `/v1/accounts/${accountId}/health`)).body;
const order = (accountId = '', change: object = {}) => ({
  accountId,
  adAccountId: '1',
  name: 'Sale',
  goal: 'traffic',
  budgetAmount: 50,
  budgetType: 'daily',
  headline: 'Now',
  body: 'Everything.',
  linkUrl: 'https://shop.example/',
  imageUrl: 'https://shop.example/a.jpg',
  ...change,
});
/** How many requests the platforms received meanwhile. */
async function sent(run: () => Promise<unknown>): Promise<number> {
  await fetch(`${app.sandbox.url}/ledger`, { method: 'DELETE' });
  await run();
  return ((await (await fetch(`${app.sandbox.url}/ledger`)).json()) as { entries: unknown[] }).entries.length;
}

const cases = [
  ['social-network', 'network-a', 'ads_management'],
  ['social-network', 'network-a', 'pages_manage_ads'],
  ['pin-board', 'pin-board', 'pins:write'],
  ['professional', 'professional', 'rw_ads'],
] as const;

describe.each(cases)('on %s (%s) without %s', (platform, account, scope) => {
  const person: Params = {};

  beforeAll(async () => {
    Object.assign(person, await personAt(app, account, `Unticked ${scope}`));
    const granted = (await asked(platform)).filter((one) => one !== scope);
    Object.assign(person, { id: (await connect(platform, granted, person))['accountId'] ?? '' });
  });

  it('the account connects, and reports the missing scope and what to do', async () => {
    expect(person['id']).toMatch(/^[0-9a-f]{24}$/);
    const { status, issues } = await health(person['id']);
    expect(status).toBe('attention');
    expect(issues).toMatchObject([{ code: 'missing_permissions', details: { scopes: [scope] } }]);
    expect(issues[0].action).toContain(`accountId=${person['id']}`);
    const { body } = await call('GET', `/v1/accounts/${person['id']}`);
    expect(body.account.missingScopes).toEqual([scope]);
    const asGraphql = await app.graphql(
      `{ account(accountId: "${person['id']}") { missingScopes } accountHealth(accountId: "${person['id']}") { issues { code details { scopes } } } }`,
      {},
      { key: fixture.key },
    );
    expect(asGraphql.body.data.account.missingScopes).toEqual([scope]);
    expect(asGraphql.body.data.accountHealth.issues[0].details.scopes).toEqual([scope]);
  });

  it('an ad is rejected before anything is sent, in dry runs too', async () => {
    const requests = await sent(async () => {
      for (const validateOnly of [true, false]) {
        expect(await call('POST', '/v1/ads/create', order(person['id'], { validateOnly }))).toMatchObject({
          status: 422,
          body: { code: 'missing_platform_permission', details: { scopes: [scope], reconnect: true } },
        });
      }
    });
    expect(requests).toBe(0);
  });

  it('connecting again with all permissions resolves it', async () => {
    const { id = '', person: who = '' } = person;
    const again = await connect(platform, undefined, { accountId: id, person: who });
    expect(again['accountId']).toBe(id);
    expect(await health(id)).toMatchObject({ status: 'healthy', issues: [] });
    const { body } = await call('POST', '/v1/ads/create', order(id));
    expect(body.code).not.toBe('missing_platform_permission');
  });
});

describe('reading without the scope', () => {
  it('is refused for look-ups and discovery, before anything is sent', async () => {
    const granted = (await asked('pin-board')).filter((one) => !one.startsWith('ads:'));
    const { accountId } = await connect('pin-board', granted);
    const refused = { status: 422, body: { code: 'missing_platform_permission', details: { scopes: ['ads:read'] } } };
    const requests = await sent(async () => {
      const search = new URLSearchParams({ accountId: accountId ?? '', type: 'country', q: 'Nor' });
      expect(await call('GET', `/v1/ads/targeting/search?${search}`)).toMatchObject(refused);
      expect(await call('POST', `/v1/accounts/${accountId}/ads/sync`)).toMatchObject(refused);
    });
    expect(requests).toBe(0);
  });
});

describe('a consent that lacks what connecting itself needs', () => {
  it.each([
    ['listing', []],
    ['pin-board', ['ads:read', 'ads:write']],
    ['ephemeral-messaging', ['snapchat-marketing-api']],
  ])('on %s ends at the address to go on to', async (platform, granted) => {
    const params = await connect(platform, granted.length > 0 ? granted : ['nothing']);
    expect(['missing_platform_permission', 'platform_api_error']).toContain(params['error']);
    expect(params['error_description']).toBeTruthy();
  });
});

describe('unknown scopes', () => {
  it('reject nothing: accounts of earlier versions and tokens that callers supply', async () => {
    const { accountId } = await connect('pin-board', ['user_accounts:read']);
    await app.app.services.db.accounts.updateOne({ _id: accountId }, { $set: { scopes: null } });
    expect(await health(accountId)).toMatchObject({ status: 'healthy', scopes: null });
    const { body } = await call('POST', '/v1/ads/create', order(accountId));
    // The platform's own refusal says the same.
    expect(body).toMatchObject({ code: 'missing_platform_permission', details: { reconnect: true } });
  });
});

describe('a renewed token', () => {
  it('updates the stored scopes, unless its response has none', async () => {
    const { accountId } = await connect('pin-board', undefined);
    const { services } = app.app;
    const stored = () => services.db.accounts.findOne({ _id: accountId }).lean().orFail();
    const before = (await stored()).scopes;
    const renewTo = async (scopes?: string[]) => {
      const refreshers = { 'pin-board': () => Promise.resolve({ token: `t-${scopes?.length}`, scopes }) };
      await refreshedAccount({ ...services, refreshers }, await stored());
    };
    await renewTo(undefined);
    expect((await stored()).scopes).toEqual(before);
    await renewTo(['ads:read', 'user_accounts:read']);
    expect((await health(accountId)).issues[0].details.scopes).toContain('ads:write');
  });

  it('shows what the person has withdrawn, if the platform returns scopes on request only', async () => {
    const granted = ['pages_show_list', 'pages_read_engagement', 'ads_read'];
    const { accountId } = await connect('network-a', granted);
    const { services } = app.app;
    const stored = () => services.db.accounts.findOne({ _id: accountId }).lean().orFail();
    await services.db.accounts.updateOne({ _id: accountId }, { $set: { scopes: [...granted, 'ads_management'] } });
    await refreshedAccount(services, await stored());
    expect((await stored()).scopes?.toSorted()).toEqual(granted.toSorted());
  });
});
