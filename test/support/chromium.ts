import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome'];
const folders = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'];
const installed = folders.flatMap((folder) => names.map((name) => `${folder}/${name}`));

/** Where the browser of the tests is; `CHROMIUM` names another one. */
export const chromiumPath = [process.env['CHROMIUM'] ?? '', ...installed].find(existsSync);
if (!chromiumPath) process.stderr.write('No Chromium is installed: the tests in a browser are skipped.\n');

const limitMs = 300_000;

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    timeout: limitMs,
  });

/** A page of its own; what it waits for may take as long as a poll. */
export async function openPage(browser: Browser, options?: Parameters<Browser['newPage']>[0]): Promise<Page> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(limitMs);
  return page;
}
