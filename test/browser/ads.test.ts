import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { chromiumPath, launchChromium, openPage } from '../support/chromium.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

const dayMs = 86_400_000;
const daysAgo = (count: number): string => new Date(Date.now() - count * dayMs).toISOString().slice(0, 10);

let app: TestApp;
let browser: Browser;
let fixture: UserFixture;

/** A campaign that has run for three weeks at the platform, and was discovered. */
beforeAll(async () => {
  if (!chromiumPath) return;
  [app, browser] = await Promise.all([startTestApp(), launchChromium()]);
  fixture = await createUserFixture(app);
  const adAccountId = fixture.adAccountIds.usd;
  const adsets = [{ name: 'Gardeners', ads: [{ name: 'Rakes' }, { name: 'Spades' }] }];
  const seeded = await control<{ campaigns: { adsets: { ads: { id: string }[] }[] }[] }>('campaigns', {
    adAccountId,
    campaigns: [{ name: 'Autumn & winter', adsets }],
  });
  const ads = seeded.campaigns.flatMap((campaign) => campaign.adsets.flatMap((set) => set.ads));
  for (const { id } of ads) await control('figures', { adId: id, spans: [{ from: Date.now() - 21 * dayMs }] });
  const sync = `/v1/accounts/${fixture.accountId}/ads/sync`;
  await app.call('POST', sync, { key: fixture.key });
  const found = async (): Promise<number> =>
    (await app.call('GET', '/v1/ads', { key: fixture.key })).body.pagination.total;
  await vi.waitFor(async () => expect(await found()).toBe(2), { timeout: 300_000, interval: 200 });
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

async function control<T>(path: string, body: object): Promise<T> {
  const response = await fetch(`${app.sandbox.url}/control/network-a/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

async function signedIn(options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
  const page = await openPage(browser, { javaScriptEnabled: false, ...options });
  await page.goto(`${app.url}/ads`);
  await page.getByLabel('API key').fill(fixture.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

const rowNames = (page: Page): Promise<string[]> => page.locator('.figures tbody th').allInnerTexts();

describe.skipIf(!chromiumPath)('the ads page in a browser', () => {
  it('leads from the ad account to a campaign, its ad sets and its ads and back, without a script', async () => {
    const page = await signedIn();
    await page.getByText('Another ad account').click();
    await page.locator('details a').first().click();
    expect(await rowNames(page)).toEqual(['Autumn & winter']);
    expect(await page.locator('.figures tfoot').innerText()).toContain('Total of 1 campaign');
    await page.getByRole('link', { name: 'Autumn & winter' }).click();
    await page.getByRole('link', { name: 'Gardeners' }).click();
    expect((await rowNames(page)).toSorted()).toEqual(['Rakes', 'Spades']);
    expect(await page.getByRole('navigation', { name: 'Position' }).innerText()).toMatch(
      /All campaigns[\s\S]*Autumn & winter[\s\S]*Gardeners/,
    );
    await page.getByRole('link', { name: 'Autumn & winter' }).click();
    expect(await rowNames(page)).toEqual(['Gardeners']);
    await page.getByRole('link', { name: 'All campaigns' }).click();
    expect(await rowNames(page)).toEqual(['Autumn & winter']);
    await page.close();
  });

  it('shows the days of the form, sorts, and downloads the same rows as CSV', async () => {
    const page = await signedIn();
    await page.getByLabel('From').fill(daysAgo(10));
    await page.getByLabel('To, inclusive').fill(daysAgo(4));
    await page.getByRole('button', { name: 'Show' }).click();
    expect(new URL(page.url()).searchParams.get('from')).toBe(daysAgo(10));
    expect(await page.locator('.spend rect.final, .spend rect.provisional').count()).toBe(7);
    await page.getByText('Spend per day as a table').click();
    expect(await page.locator('details table tbody tr').count()).toBe(7);
    await page.getByRole('link', { name: 'Clicks', exact: true }).click();
    expect(await page.locator('th[aria-sort="descending"]').innerText()).toBe('Clicks');
    expect(await page.getByLabel('From').inputValue()).toBe(daysAgo(10));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`campaign-${daysAgo(10)}-${daysAgo(4)}.csv`);
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('Autumn & winter');
    await page.close();
  });

  it('shows all columns of the table on a usual screen', async () => {
    const page = await signedIn({ javaScriptEnabled: true, viewport: { width: 1280, height: 800 } });
    const widths = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.wide'))`;
    expect(await page.locator('.figures thead th').last().innerText()).toBe('ROAS');
    expect(await page.evaluate(widths)).toBe(0);
    await page.close();
  });

  it('is used by keyboard in the order in which it is read', async () => {
    const page = await signedIn({ javaScriptEnabled: true });
    const names: string[] = [];
    for (let at = 0; at < 28; at++) {
      await page.keyboard.press('Tab');
      const focused = `(({ innerText, name, ariaLabel }) => (ariaLabel || innerText || name).trim())(document.activeElement)`;
      names.push(String(await page.evaluate(focused)));
      const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
      expect(outline, names.at(-1)).not.toBe('none');
    }
    const site = [...(await page.locator('nav.site a').allInnerTexts()), 'Sign out'];
    expect(site).toContain('Ads');
    const ranges = ['Today', 'Yesterday', 'Last 7 days', 'Last 14 days', 'Last 28 days', 'Last 30 days'];
    const choices = [...site, 'Another ad account', ...ranges, 'This month', 'Last month', 'from'];
    expect(names.slice(0, choices.length)).toEqual(choices);
    // A date has a place for day, month, year and calendar.
    const later = [...new Set(names.slice(choices.length))];
    expect(later.slice(0, 3)).toEqual(['from', 'to', 'Show']);
    await page.close();
  });

  it('fits 360 pixels in both colour schemes, asks no other host, and breaks no rule of its own policy', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const said: string[] = [];
      const page = await signedIn({ colorScheme, viewport: { width: 360, height: 740 }, javaScriptEnabled: true });
      page.on('console', (message) => said.push(message.text()));
      page.on('request', (request) => {
        if (!request.url().startsWith(app.url) && !request.url().startsWith('data:')) said.push(request.url());
      });
      await page.goto(`${app.url}/ads?account=${fixture.accountId}&adAccount=${fixture.adAccountIds.usd}`);
      const seen = await page.evaluate(`({
        width: document.documentElement.scrollWidth,
        ground: getComputedStyle(document.body).backgroundColor,
        provisional: getComputedStyle(document.querySelector('.provisional')).fill,
        bar: getComputedStyle(document.querySelector('.spend .final')).fill,
      })`);
      const isLight = colorScheme === 'light';
      expect(seen).toEqual({
        width: 360,
        ground: isLight ? 'rgb(246, 247, 249)' : 'rgb(18, 21, 27)',
        provisional: 'url("#hatch")',
        bar: isLight ? 'rgb(11, 87, 194)' : 'rgb(138, 184, 255)',
      });
      expect(said).toEqual([]);
      await page.close();
    }
  });
});
