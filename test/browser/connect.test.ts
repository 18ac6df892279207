import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { chromiumPath, launchChromium, openPage } from '../support/chromium.ts';
import { startConnectApp } from '../support/consent.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;
let browser: Browser;
let caller: Server;
let back: string;

beforeAll(async () => {
  if (!chromiumPath) return;
  // The application of the API caller: where the browser ends.
  caller = createServer((_request, response) => response.end('<title>Back</title>')).listen(0, '127.0.0.1');
  await new Promise((resolve) => caller.once('listening', resolve));
  const { port } = caller.address() as AddressInfo;
  back = `http://127.0.0.1:${port}/settings?tab=accounts#list`;
  app = await startConnectApp({ CORS_ORIGINS: new URL(back).origin });
  fixture = await createUserFixture(app, { platform: 'listing' });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  caller?.close();
  await app?.stop();
});

const begin = async (platform: string): Promise<string> => {
  const query = new URLSearchParams({ profileId: fixture.profileId, redirect_url: back, state: 'csrf-1' });
  const { body } = await app.call('GET', `/v1/connect/${platform}?${query}`, { key: fixture.key });
  return body.authUrl;
};
async function clicking<T>(run: (page: Page) => Promise<T>): Promise<T> {
  const page = await openPage(browser);
  try {
    return await run(page);
  } finally {
    await page.close();
  }
}
interface Read {
  status: number;
  limit: string | null;
  body: unknown;
}
/** Runs in the page. */
const readIn = async ({ url, init }: { url: string; init: RequestInit }): Promise<Read> => {
  const answer = await fetch(url, init);
  return { status: answer.status, limit: answer.headers.get('X-RateLimit-Limit'), body: await answer.json() };
};
const agreeAs = async (page: Page, name: string): Promise<URLSearchParams> => {
  await page.getByLabel('Someone new').check();
  await page.getByLabel('Name of the new person').fill(name);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.waitForURL(/127\.0\.0\.1:\d+\/settings/);
  return new URL(page.url()).searchParams;
};

describe.skipIf(!chromiumPath)('a person in a browser', () => {
  it('connects a page, from the first click to the account', async () => {
    await clicking(async (page) => {
      await page.goto(await begin('social-network'));
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('network-a');
      expect(await page.getByText('pages_show_list').count()).toBe(1);
      const params = await agreeAs(page, 'Clicking Shop');
      expect(new URL(page.url()).hash).toBe('#list');
      expect(Object.fromEntries(params)).toMatchObject({ tab: 'accounts', step: 'select_page', state: 'csrf-1' });

      const headers = { 'X-Connect-Token': params.get('connect_token') ?? '' };
      const path = '/v1/connect/social-network/select-page';
      const chosen = { profileId: fixture.profileId, tempToken: params.get('tempToken') ?? '' };
      const { pages } = (await app.call('GET', `${path}?${new URLSearchParams(chosen)}`, { headers })).body;
      expect(pages.map(({ name }: { name: string }) => name)).toContain('Clicking Shop');
      const userProfile = JSON.parse(params.get('userProfile') ?? '{}') as object;
      const body = { ...chosen, pageId: pages[0].id, userProfile, redirect_url: back };
      const selected = await app.call('POST', path, { headers, body });
      expect(selected).toMatchObject({ status: 200, body: { account: { platform: 'network-a' } } });

      await page.goto(selected.body.redirect_url);
      const ended = new URL(page.url()).searchParams;
      expect(ended.get('connected')).toBe('network-a');
      const account = await app.call('GET', `/v1/accounts/${ended.get('accountId')}`, { key: fixture.key });
      expect(account.body.account).toMatchObject({ selectedPageName: 'Clicking Shop', isActive: true });
    });
  });

  it('selects a page from a browser application that calls both APIs from its own origin', async () => {
    await clicking(async (page) => {
      await page.goto(await begin('social-network'));
      const params = await agreeAs(page, 'Own Script Shop');
      const chosen = { profileId: fixture.profileId, tempToken: params.get('tempToken') ?? '' };
      const call = (url: string, init: RequestInit): Promise<Read> => page.evaluate(readIn, { url, init });
      const connecting = { 'X-Connect-Token': params.get('connect_token') ?? '', 'Content-Type': 'application/json' };
      const path = `${app.url}/v1/connect/social-network/select-page`;
      const listed = await call(`${path}?${new URLSearchParams(chosen)}`, { headers: connecting });
      expect(listed.status).toBe(200);
      const { pages } = listed.body as { pages: { id: string; name: string }[] };
      expect(pages[0]?.name).toBe('Own Script Shop');
      const userProfile = JSON.parse(params.get('userProfile') ?? '{}') as object;
      const body = JSON.stringify({ ...chosen, pageId: pages[0]?.id, userProfile });
      expect(await call(path, { method: 'POST', headers: connecting, body })).toMatchObject({ status: 200 });

      const headers = { Authorization: `Bearer ${fixture.key}`, 'Content-Type': 'application/json' };
      const query = JSON.stringify({ query: '{ accounts(first: 5) { nodes { displayName } } }' });
      const asked = await call(`${app.url}/graphql`, { method: 'POST', headers, body: query });
      expect(JSON.stringify(asked.body)).toContain('Own Script Shop');
      expect(Number(asked.limit)).toBeGreaterThan(0);

      // The same server under another name is another origin, and not a listed one.
      await page.goto(back.replace('127.0.0.1', 'localhost'));
      await expect(call(`${app.url}/graphql`, { method: 'POST', headers, body: query })).rejects.toThrow(/fetch/i);
    });
  });

  it('comes back with an error after refusing', async () => {
    await clicking(async (page) => {
      await page.goto(await begin('social-network'));
      await page.getByRole('button', { name: 'Refuse' }).click();
      await page.waitForURL(/settings/);
      expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
        error: 'access_denied',
        state: 'csrf-1',
      });
    });
  });

  it('shows the last page again after reload and back', async () => {
    await clicking(async (page) => {
      const query = new URLSearchParams({ profileId: fixture.profileId });
      const { body } = await app.call('GET', `/v1/connect/listing?${query}`, { key: fixture.key });
      await page.goto(body.authUrl);
      await page.getByLabel('Someone new').check();
      await page.getByLabel('Name of the new person').fill('Reloading Shop');
      await page.getByRole('button', { name: 'Approve' }).click();
      const heading = (): Promise<string | null> => page.getByRole('heading', { level: 1 }).textContent();
      await page.waitForURL(/callback/);
      expect(await heading()).toBe('Reloading Shop is connected');
      await page.reload();
      expect(await heading()).toBe('Reloading Shop is connected');
      await page.goto(back);
      await page.goBack();
      expect(await heading()).toBe('Reloading Shop is connected');
    });
  });

  it('finds words instead of an account when going back and agreeing twice', async () => {
    await clicking(async (page) => {
      await page.goto(await begin('listing'));
      const url = page.url();
      await agreeAs(page, 'Twice');
      await page.goto(url);
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.waitForURL(/callback/);
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Not connected');
      expect(await page.getByText('already complete').count()).toBe(1);
    });
  });
});
