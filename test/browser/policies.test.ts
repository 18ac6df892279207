import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { chromiumPath, launchChromium, openPage } from '../support/chromium.ts';
import { goodAd } from '../support/user-fixture.ts';
import { webhookFixture, type WebhookFixture } from '../webhooks/fixture.ts';

let app: TestApp;
let browser: Browser;
let foreign: Server;
let webhook: WebhookFixture;

beforeAll(async () => {
  if (!chromiumPath) return;
  const dataDir = await mkdtemp(join(tmpdir(), 'demo-'));
  app = await startTestApp({ DATA_DIR: dataDir });
  webhook = await webhookFixture(app);
  const { key: apiKey, userId, accountId, adAccountIds } = webhook.user;
  const accounts = { 'network-a': { accountId, adAccountId: adAccountIds.usd } };
  await writeFile(join(dataDir, 'demo.json'), JSON.stringify({ apiKey, userId, accounts }));
  browser = await launchChromium();
  foreign = createServer((request, response) => {
    const target = new URL(request.url ?? '/', 'http://x').searchParams.get('frame') ?? '';
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<iframe src="${target}"></iframe>`);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => foreign.once('listening', resolve));
});
afterAll(async () => {
  await browser?.close();
  foreign?.close();
  await webhook?.receiver.stop();
  await app?.stop();
});

/** A page on which nothing was refused by its policy, no script failed and nothing came from elsewhere. */
async function open(base: string, path: string, look: (page: Page) => Promise<void>): Promise<void> {
  const page = await openPage(browser);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || /Content.Security.Policy/i.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(base) && !/^(data|blob):/.test(request.url())) complaints.push(request.url());
  });
  await page.goto(base + path);
  await look(page);
  await page.close();
  expect(complaints).toEqual([]);
}

describe.skipIf(!chromiumPath)('the policy of a page', () => {
  it('lets the explorer run each of its tabs with the demo data, and shows data and no errors', async () => {
    await app.call('POST', '/v1/ads/create', { key: webhook.user.key, body: goodAd(webhook.user) });
    await open(app.url, '/graphql', async (page) => {
      for (const [tab, data] of [
        ['WhoAmI', 'READ_WRITE'],
        ['DryRun', 'OUTCOME_TRAFFIC'],
        ['Tree', '"adSets"'],
        ['AdReport', '"isComplete"'],
        ['CreateWebhook', 'https://example.com/webhooks'],
        ['LiveDeliveries', '"api_key.created"'],
      ] as const) {
        // A click while the editor is still loading is lost.
        const opened = async () => {
          await page.getByRole('button', { name: tab, exact: true }).click();
          return page.locator('.graphiql-query-editor').innerText();
        };
        await expect.poll(opened).toContain(tab);
        // The editors load one after the other, and a request of an incomplete tab fails in the page.
        const response = async () => {
          const run = page.getByRole('button', { name: /execute query/i });
          if (await run.isVisible()) await run.click();
          await page.waitForTimeout(1500);
          if (tab === 'LiveDeliveries') await webhook.event();
          return page.locator('.graphiql-response').innerText();
        };
        await expect.poll(response, { interval: 500 }).toContain(data);
        expect(await page.locator('.graphiql-response').innerText()).not.toContain('"errors"');
      }
    });
  });

  it('lets the REST reference show its operations', () =>
    open(app.url, '/docs', async (page) => {
      await page.locator('.opblock').first().waitFor();
      await page.locator('.opblock-summary').first().click();
      await page.locator('.opblock-body').first().waitFor();
    }));

  it('lets every page show the navigation, which leads from each to the next', async () => {
    await open(app.url, '/', async (page) => {
      for (const [name, path, content] of [
        ['Ads', '/ads', 'main form'],
        ['Deliveries', '/deliveries', 'main form'],
        ['REST reference', '/docs', '.opblock'],
        ['GraphQL explorer', '/graphql', '.graphiql-query-editor'],
        ['Overview', '/', 'main ul'],
      ] as const) {
        await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name, exact: true }).click();
        await page.waitForURL(app.url + path);
        await page.locator(content).first().waitFor();
        expect(await page.locator('a[aria-current="page"]').innerText()).toBe(name);
        expect(await page.evaluate('getComputedStyle(document.querySelector("nav")).fontFamily')).toContain(
          'system-ui',
        );
        // The explorer fills the window: the links above it take their height from it.
        const rest = 'document.documentElement.scrollHeight - document.documentElement.clientHeight';
        if (path === '/graphql') expect(await page.evaluate(rest)).toBe(0);
      }
    });
  });

  it.each([
    ['the first page', '/', 'li a'],
    ['the ads', '/ads', 'form'],
    ['the deliveries', '/deliveries', 'form'],
    ['the end of a connection', '/v1/connect/nothing/callback', 'h1'],
  ])('lets %s have its style', async (_what, path, selector) => {
    const page = await openPage(browser);
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (/Content.Security.Policy/i.test(message.text())) complaints.push(message.text());
    });
    await page.goto(app.url + path);
    await page.locator(selector).first().waitFor();
    const font = await page.evaluate('getComputedStyle(document.body).fontFamily');
    expect(font).toContain('system-ui');
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('lets the sandbox show what it holds and ask for consent', async () => {
    await open(app.sandbox.url, '/', async (page) => {
      await page.getByRole('heading', { name: 'Last requests' }).waitFor();
      expect(await page.evaluate('getComputedStyle(document.body).fontFamily')).toContain('system-ui');
      // The page looks for news by itself.
      await page.waitForResponse((response) => response.url() === `${app.sandbox.url}/`);
    });
  });

  it.each(['/graphql', '/docs', '/', '/ads', '/deliveries', '/v1/connect/nothing/callback', '/healthz'])(
    'keeps %s out of the frames of other pages, of the same machine too',
    async (path) => {
      for (const base of [app.url, app.url.replace('127.0.0.1', 'localhost')]) {
        const page = await openPage(browser);
        const refusals: string[] = [];
        page.on('console', (message) => refusals.push(message.text()));
        await page.goto(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/?frame=${base}${path}`);
        await expect.poll(() => refusals.join('\n')).toMatch(/frame-ancestors|X-Frame-Options/i);
        await page.close();
      }
    },
  );
});
