import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { coverageExpireAt, figuresExpireAt, firstStoredDay } from '../../../src/services/reports/retention.ts';

const stored = (environment: Record<string, string> = {}) => ({
  retention: readConfig({
    MONGODB_URI: 'mongodb://localhost/test',
    REDIS_URL: 'redis://localhost',
    ENCRYPTION_KEYS: `test:${Buffer.alloc(32).toString('base64')}`,
    ...environment,
  }).retention,
});

describe('the retention of figures', () => {
  it.each([
    ['A', {}, '2024-10-01'],
    ['F', {}, '2026-08-01'],
    ['A', { FIGURES_RETENTION_MONTHS: '1' }, '2026-10-01'],
    ['F', { FIGURES_RETENTION_MONTHS: '1' }, '2026-10-01'],
    ['F', { PLATFORM_F_FIGURES_RETENTION_MONTHS: '12' }, '2025-11-01'],
  ] as const)('of %s with %o begins on %s', (platform, environment, first) => {
    expect(firstStoredDay(stored(environment), platform, '2026-11-29')).toBe(first);
  });

  it('ends after no report shows the month in any time zone, for the coverage a day before the figures', () => {
    const month = '2026-08';
    expect(firstStoredDay(stored(), 'F', '2026-11-30')).toBe(`${month}-01`);
    expect(firstStoredDay(stored(), 'F', '2026-12-01')).toBe('2026-09-01');
    expect(coverageExpireAt(stored(), { platform: 'F' }, month)).toEqual(new Date('2026-12-02T00:00:00Z'));
    expect(figuresExpireAt(stored(), { platform: 'F' }, month)).toEqual(new Date('2026-12-03T00:00:00Z'));
    expect(figuresExpireAt(stored(), { platform: 'A' }, '2024-12')).toEqual(new Date('2027-02-03T00:00:00Z'));
  });
});
