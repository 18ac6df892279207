import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import { caller, campaign, creative, refused, type Call } from './graph.ts';

interface Person {
  userId: string;
  accessToken: string;
  pages: { id: string; accessToken: string }[];
  businesses: { id: string; ownedPages: { id: string; name: string }[] }[];
  adAccounts: { id: string }[];
}

let sandbox: Sandbox;
let person: Person;
const call: Call = (...args) => caller(sandbox.url, person.accessToken)(...args);
const control = async (path: string, body: object) =>
  (
    await fetch(`${sandbox.url}/control/network-a/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  ).json();
const appToken = encodeURIComponent('sandbox-app|sandbox-app-secret');
const debug = async (token: string) =>
  (await call('GET', `debug_token?input_token=${token}&access_token=${appToken}`, { token: null })).body.data;

beforeAll(async () => {
  sandbox = await startSandbox();
  person = (await control('connections', { name: 'Shop', pages: 4 })) as Person;
});
afterAll(() => sandbox.stop());

describe('pages', () => {
  it('come page by page, one without the right to advertise', async () => {
    const path =
      'me/accounts?fields=id,name,category,access_token,tasks,picture{url},instagram_business_account{id,username}&limit=3';
    const first = (await call('GET', path)).body;
    expect(first.data).toHaveLength(3);
    expect(first.data[0]).toMatchObject({
      access_token: person.pages[0]?.accessToken,
      picture: { data: { url: expect.any(String) } },
      instagram_business_account: { username: 'shop' },
    });
    expect(first.paging.next).toBeDefined();
    const second = (await call('GET', `${path}&after=${first.paging.cursors.after}`)).body;
    expect(second.data.map(({ tasks }: { tasks: string[] }) => tasks.includes('ADVERTISE'))).toEqual([true, false]);
    expect(second.paging.next).toBeUndefined();
  });

  it('of a business are missing there, and found below it or by their id', async () => {
    const page = person.businesses[0]?.ownedPages[0];
    const all = (await call('GET', 'me/accounts?limit=100')).body.data;
    expect(all.map(({ id }: { id: string }) => id)).not.toContain(page?.id);
    const { body } = await call('GET', 'me/businesses?fields=id,name');
    expect(body.data).toEqual([{ id: person.businesses[0]?.id, name: 'Shop Business' }]);
    const owned = (await call('GET', `${body.data[0].id}/owned_pages?fields=id,tasks`)).body.data;
    expect(owned).toMatchObject([{ id: page?.id, tasks: expect.arrayContaining(['ADVERTISE']) }]);
    expect((await call('GET', `${body.data[0].id}/client_pages`)).body.data).toHaveLength(1);
    expect((await call('GET', `${page?.id}?fields=id,name,access_token`)).body).toMatchObject({ name: page?.name });
    const act = `act_${person.adAccounts[0]?.id}`;
    expect((await call('POST', `${act}/adcreatives`, { fields: creative(page?.id) })).status).toBe(200);
  });

  it('of another person are not found', async () => {
    const other = (await control('connections', {})) as Person;
    for (const id of [other.pages[0]?.id, other.businesses[0]?.id, `${other.businesses[0]?.id}/owned_pages`])
      expect(await call('GET', id ?? '')).toMatchObject(refused(100, 33));
  });

  it('have tokens of their own, which act for the page', async () => {
    const [page] = person.pages;
    expect((await call('GET', 'me', { token: page?.accessToken })).body).toEqual({ id: page?.id, name: 'Shop' });
    expect(await debug(page?.accessToken ?? '')).toMatchObject({ type: 'PAGE', profile_id: page?.id, expires_at: 0 });
  });
});

describe('debug_token', () => {
  it('says whether and how long a token counts', async () => {
    const { accessToken: token, userId } = (await control('connections', {})) as Person;
    const good = await debug(token);
    expect(good).toMatchObject({ is_valid: true, user_id: userId, scopes: expect.arrayContaining(['ads_management']) });
    expect(good.expires_at).toBeGreaterThan(Date.now() / 1000 + 59 * 86_400);
    await control('tokens/expire', { token });
    expect(await debug(token)).toMatchObject({ is_valid: false, error: { code: 190, subcode: 463 } });
    expect(await debug('nonsense')).toMatchObject({ is_valid: false, error: { code: 190 } });
    await control('tokens/restore', { token });
    expect(await debug(token)).toMatchObject({ is_valid: true });
  });

  it('answers the application and people only', async () => {
    const path = `debug_token?input_token=${person.accessToken}`;
    expect(await call('GET', path, { token: 'sandbox-app|guessed' })).toMatchObject(refused(190));
    expect((await call('GET', path)).body.data.is_valid).toBe(true);
  });
});

describe('codes', () => {
  const exchange = (query: Record<string, string>) =>
    call(
      'GET',
      `oauth/access_token?${new URLSearchParams({ client_id: 'sandbox-app', client_secret: 'sandbox-app-secret', redirect_uri: 'https://a.example/back', ...query })}`,
      { token: null },
    );

  it('that were never issued, secrets that do not fit and strange applications are refused', async () => {
    expect(await exchange({ code: 'guessed' })).toMatchObject(refused(100));
    expect(await exchange({ code: 'x', client_secret: 'guessed' })).toMatchObject(refused(1));
    expect(await exchange({ code: 'x', client_id: 'stranger' })).toMatchObject(refused(101));
    expect(await exchange({ grant_type: 'password' })).toMatchObject(refused(100));
  });
});

describe('what exists', () => {
  it('lists campaigns in the raw form for tests', async () => {
    const { body } = await call('POST', `act_${person.adAccounts[0]?.id}/campaigns`, { fields: campaign() });
    const { objects } = (await (await fetch(`${sandbox.url}/control/network-a/objects?type=campaign`)).json()) as {
      objects: { id: string }[];
    };
    expect(objects.map(({ id }) => id)).toContain(body.id);
  });
});
