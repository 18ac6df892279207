import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { versionWarnings } from '../../src/platforms/versions.ts';
import { startVersionCheck } from '../../src/workers/check-versions.ts';
import { startTestApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ PLATFORM_A_VERSION: 'v24.0' });
});
afterAll(() => app.stop());

const ended = 'API version v24.0 of platform A ended on 2026-11-10: set PLATFORM_A_VERSION to a newer one';

describe('an API version that its platform has ended', () => {
  it('is named by the readiness check, which stays ready', async () => {
    const response = await fetch(`${app.url}/readyz`);
    expect([response.status, ((await response.json()) as { warnings: string[] }).warnings]).toEqual([
      200,
      expect.arrayContaining([ended]),
    ]);
  });

  it('is a negative number of days in the metrics', async () => {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    expect(text).toMatch(/^platform_api_version_days_left\{platform="A",version="v24\.0"\} -\d+$/m);
  });

  it.each([
    ['2026-11-10T23:00:00Z', 'warn', 40, 'ends on'],
    ['2026-11-11T00:00:00Z', 'error', 50, 'ended on'],
  ])('is logged again and again: at %s as %s', async (at, _name, level, text) => {
    const { platforms } = readConfig(app.env);
    const lines: Record<string, unknown>[] = [];
    const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
    const log = pino({ level: 'info' }, { write });
    const check = startVersionCheck(
      (now) => versionWarnings(platforms, now),
      { clock: { now: () => new Date(at) }, log },
      10,
    );
    await expect.poll(() => lines.length).toBeGreaterThan(1);
    await check.stop();
    const about = lines.filter(({ msg }) => String(msg).includes('platform A'));
    expect(about.length).toBeGreaterThan(1);
    for (const line of about) expect([line['level'], line['msg']]).toEqual([level, expect.stringContaining(text)]);
  });
});
