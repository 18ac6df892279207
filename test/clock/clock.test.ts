import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  days,
  everyRun,
  fullRuns,
  fullRunsOnly,
  matrix,
  offsetOf,
  onRealTime,
  times,
  wholeRuns,
  zones,
} from './runs.ts';
import { clockSuites, exhaustive, isAboutThisList, testFiles, wayOut } from './suites.ts';

const suites = clockSuites();
const root = resolve(import.meta.dirname, '../..');
const dayOf = ({ at }: { at: string }): string => at.slice(0, 10);
const timeOf = ({ at }: { at: string }): string => at.slice(11, 16);

describe('the suites that run at other times', () => {
  it('are all that need neither Redis nor child processes', () => {
    const chosen = new Set(suites);
    const left = testFiles.filter((file) => !chosen.has(file) && !exhaustive.includes(file) && !isAboutThisList(file));
    expect(left.filter((file) => wayOut(file) === undefined)).toEqual([]);
    for (const file of chosen) {
      expect(readFileSync(join(root, file), 'utf8')).not.toMatch(/from '(ioredis|bullmq|node:child_process)'/);
    }
  });

  it.each([
    ['test/api/create-ad.test.ts', 'ioredis'],
    ['test/redis/connect.test.ts', 'ioredis'],
    ['test/dev/setup.test.ts', 'node:child_process'],
    ['test/support/chromium.ts', 'playwright-core'],
  ])('leave out %s, which needs %s', (file, reason) => {
    expect(wayOut(file)?.at(-1)).toBe(reason);
    expect(suites).not.toContain(file);
  });

  it.each([
    'test/platforms/google-ads-wire.test.ts',
    'test/dev/sandbox/network-a.test.ts',
    'test/services/ads/create-ad.test.ts',
    'test/contract/ad.test.ts',
    'test/egress/egress.test.ts',
  ])('contain %s', (file) => {
    expect(suites).toContain(file);
  });

  it('exclude only existing files for their duration', () => {
    expect(testFiles).toEqual(expect.arrayContaining(exhaustive));
    expect(suites).toEqual(expect.arrayContaining(fullRunsOnly));
  });
});

describe('the runs at other times', () => {
  it('cover every time of day on every kind of day', () => {
    for (const dates of Object.values(days)) {
      const runs = matrix.filter((run) => Object.values(dates).includes(dayOf(run)));
      expect(runs.map(timeOf).toSorted()).toEqual(times.toSorted());
      expect(new Set(runs.map(({ zone }) => zone))).toEqual(new Set(zones));
    }
  });

  it('cover every time of day in every time zone', () => {
    for (const zone of zones)
      expect(new Set(matrix.filter((run) => run.zone === zone).map(timeOf))).toEqual(new Set(times));
  });

  it('include the suites of the services at every time, on every kind of day and in every zone', () => {
    expect(fullRuns.map(timeOf).toSorted()).toEqual(times.toSorted());
    expect(new Set(fullRuns.map(({ zone }) => zone))).toEqual(new Set(zones));
    for (const dates of Object.values(days))
      expect(fullRuns.filter((run) => Object.values(dates).includes(dayOf(run)))).not.toEqual([]);
    for (const folder of everyRun) expect(suites.filter((file) => file.startsWith(folder))).not.toEqual([]);
  });

  it.each(['clocks go forward', 'clocks go back'])('of the days when %s hold a clock change', (kind) => {
    const changing = { ...days[kind], 'Europe/Berlin': days[kind]?.['Asia/Kathmandu'] };
    for (const [zone, date] of Object.entries(changing)) {
      if (zone === 'Asia/Kathmandu') continue;
      const offsetAt = (time: string): string | undefined =>
        new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
          .formatToParts(new Date(time))
          .find(({ type }) => type === 'timeZoneName')?.value;
      expect(offsetAt(`${date}T00:00:00Z`)).not.toBe(offsetAt(`${date}T23:59:59Z`));
    }
  });

  it('of all tests are on a shifted date and just before midnight', () => {
    const now = new Date('2026-11-28T18:50:00Z');
    expect(wholeRuns(now).map(({ at }) => at)).toEqual(['2032-02-29T10:00:00Z', '2026-11-28T23:50:00Z']);
  });

  it('keep every Redis that a test starts on the real clock', () => {
    const sources = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
      .map((path) => readFileSync(join(root, 'test', path), 'utf8'));
    const started = sources.flatMap((text) => [...text.matchAll(/spawn\('((?:redis|valkey)[a-z-]*)'/g)]);
    expect(new Set(started.map(([, name]) => name))).toEqual(new Set(['redis-server', 'redis-sentinel']));
    for (const [, name] of started) expect(onRealTime).toContain(name);
  });

  it('move the clock by whole seconds to either side', () => {
    const now = new Date('2026-11-28T18:50:00Z');
    expect(offsetOf({ at: '2026-11-28T18:51:30Z', zone: 'UTC' }, now)).toBe('+90s');
    expect(offsetOf({ at: '2026-11-28T18:49:00Z', zone: 'UTC' }, now)).toBe('-60s');
  });
});
