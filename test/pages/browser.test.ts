import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { chromiumPath, launchChromium, openPage } from '../support/chromium.ts';
import { webhookFixture, type WebhookFixture } from '../webhooks/fixture.ts';
import { status } from '../webhooks/receiver.ts';

describe.skipIf(!chromiumPath)('the deliveries page in a browser', () => {
  let app: TestApp;
  let browser: Browser;

  beforeAll(async () => {
    [app, browser] = await Promise.all([
      startTestApp({
        WEBHOOK_RETRY_SCHEDULE: '0',
        WEBHOOK_CIRCUIT_BREAKER_SCHEDULE: 'none',
        SWEEP_INTERVAL_SECONDS: '0.2',
      }),
      launchChromium(),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
  });

  /** A failed delivery, and a user who has signed in to see it. */
  async function arrive(
    options: Parameters<Browser['newPage']>[0] = {},
  ): Promise<{ fixture: WebhookFixture; page: Page }> {
    const fixture = await webhookFixture(app, { name: 'A webhook with a name of some length' });
    fixture.receiver.answer = status(503, `not today ${'x'.repeat(600)}`);
    await fixture.event();
    await expect.poll(async () => (await fixture.logs())[0]?.state).toBe('failed');
    const page = await openPage(browser, { javaScriptEnabled: false, ...options });
    await page.goto(`${app.url}/deliveries`);
    await page.getByLabel('API key').fill(fixture.user.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    return { fixture, page };
  }

  it('signs in, shows a failed delivery, sends it again, and shows it delivered, all without script', async () => {
    const { fixture, page } = await arrive();
    const entry = page.locator('.log li').first();
    expect(await entry.innerText()).toMatch(/api_key\.created[\s\S]*failed/);
    await entry.getByRole('link').click();
    expect(await page.locator('pre').innerText()).toContain('not today');
    fixture.receiver.answer = status(200, 'thank you');
    await page.getByRole('button', { name: 'Send again' }).click();
    // The page of a delivery that is under way reloads itself.
    await page.locator('h1 .badge.good').waitFor();
    expect(await page.locator('h1').innerText()).toBe('api_key.created delivered');
    expect(await page.locator('pre').innerText()).toBe('thank you');
    expect(fixture.receiver.got).toHaveLength(2);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    await page.close();
    await fixture.receiver.stop();
  });

  it('sends a test and shows what came of it', async () => {
    const { fixture, page } = await arrive();
    fixture.receiver.answer = status(204);
    await page.getByRole('button', { name: 'Send a test' }).click();
    expect(await page.locator('h1').innerText()).toBe('webhook.test delivered');
    await page.close();
    await fixture.receiver.stop();
  });

  it('fits 360 pixels in both colour schemes, asks no other host, and breaks no rule of its own policy', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const said: string[] = [];
      const { fixture, page } = await arrive({
        colorScheme,
        viewport: { width: 360, height: 740 },
        javaScriptEnabled: true,
      });
      page.on('console', (message) => said.push(message.text()));
      page.on('request', (request) => {
        if (!request.url().startsWith(app.url) && !request.url().startsWith('data:')) said.push(request.url());
      });
      const [{ _id }] = await fixture.logs();
      for (const path of ['/deliveries', `/deliveries/${_id}`]) {
        await page.goto(app.url + path);
        const { width, ground } = (await page.evaluate(
          `({ width: document.documentElement.scrollWidth, ground: getComputedStyle(document.body).backgroundColor })`,
        )) as { width: number; ground: string };
        expect(width).toBeLessThanOrEqual(360);
        expect(ground).toBe(colorScheme === 'light' ? 'rgb(246, 247, 249)' : 'rgb(18, 21, 27)');
      }
      expect(said).toEqual([]);
      await page.close();
      await fixture.receiver.stop();
    }
  });
});
