import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { chromiumPath, launchChromium, openPage } from '../support/chromium.ts';
import { goodAd, createUserFixture, type UserFixture } from '../support/user-fixture.ts';

describe.skipIf(!chromiumPath)('the REST reference in a browser', () => {
  let app: TestApp;
  let browser: Browser;
  let fixture: UserFixture;

  beforeAll(async () => {
    [app, browser] = await Promise.all([startTestApp(), launchChromium()]);
    fixture = await createUserFixture(app);
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
  });

  it('shows the body of createAd with its fields, and "Try it out" creates an ad', async () => {
    const page = await openPage(browser);
    await page.goto(`${app.url}/docs`);
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.getByLabel('auth-bearer-value').fill(fixture.key);
    await page.getByRole('button', { name: 'Apply credentials' }).first().click();
    await page.getByRole('button', { name: 'Close' }).last().click();

    const operation = page.locator('#operations-Ads-createAd');
    await operation.locator('.opblock-summary-control').click();
    const example = operation.locator('.opblock-section-request-body');
    await example.getByText('Spring sale').first().waitFor();
    await example.getByRole('tab', { name: 'Schema' }).click();
    await example.getByText('CreateAdInput').first().waitFor();
    await example.getByText('budgetAmount', { exact: true }).first().waitFor();
    // A reference that leads nowhere, and whatever else cannot be shown, is reported here.
    expect(await page.locator('.errors-wrapper').count()).toBe(0);

    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.locator('textarea.body-param__text').fill(JSON.stringify(goodAd(fixture)));
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table .response-col_status', { hasText: '201' }).waitFor();
    await page.close();

    const { body } = await app.call('GET', '/v1/ads', { key: fixture.key });
    expect(body.ads).toMatchObject([{ name: 'Spring sale', platform: 'network-a' }]);
  });

  it('follows the colour scheme of the browser, also when it changes', async () => {
    const page = await openPage(browser, { colorScheme: 'dark' });
    await page.goto(`${app.url}/docs`);
    const isDark = (): Promise<boolean> =>
      page.evaluate(() => getComputedStyle(document.documentElement).colorScheme === 'dark');
    await expect.poll(isDark).toBe(true);
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(isDark).toBe(false);
    await page.close();
  });

  it('leads to the document without JavaScript', async () => {
    const page = await openPage(browser, { javaScriptEnabled: false });
    await page.goto(`${app.url}/docs`);
    await page.getByRole('link', { name: '/v1/openapi.json' }).click();
    await page.waitForURL('**/v1/openapi.json');
    await page.close();
  });
});
