import { describe, expect, it } from 'vitest';
import { AdPlatform, platforms } from '../../src/contract/platforms.ts';
import { CreateAdInput } from '../../src/contract/ad-input.ts';
import { parseInput } from '../../src/contract/parse.ts';
import { dayEndBy } from '../../src/lib/account-time.ts';
import { checkAd } from '../../src/services/ads/check-ad.ts';
import { endProblem } from '../../src/services/ads/supported-end.ts';
import { lateStartWarning, withSupportedStart } from '../../src/services/ads/supported-start.ts';
import { legacy, type Loose } from '../contract/ads.ts';

const now = new Date('2027-01-31T09:00:00Z');
const zone = 'America/New_York';

const inputOf = (more: Loose): CreateAdInput => parseInput(CreateAdInput, { ...legacy, ...more }, { dropNulls: true });
const adAccountIn = (timezone?: string) => ({ id: '1', name: 'Main', currency: 'USD', isActive: true, timezone });

/** The problems with the times and the budget of an order. */
const problemsOf = (platform: AdPlatform, more: Loose, timezone: string | undefined = zone): string[] => {
  const { problems } = checkAd(inputOf(more), {
    platform,
    accountPlatform: platforms[platform].accounts[0],
    adAccount: adAccountIn(timezone),
    currencyFactor: () => 100,
    ...(platform === 'B' && { supportedEnd: (end: Date) => dayEndBy(end, zone) }),
    now,
    hasPage: true,
  });
  return problems
    .filter(({ path }) => ['startDate', 'endDate', 'budgetAmount'].includes(path))
    .map(({ path, message }) => `${path} ${message}`);
};

const placed = (platform: AdPlatform, startDate: string, timezone: string | undefined = zone) => {
  const { startPrecision } = platforms[platform];
  const { input, warnings } = withSupportedStart(inputOf({ startDate }), {
    startPrecision,
    adAccount: adAccountIn(timezone),
    now,
  });
  return { start: input.startDate, warnings };
};

describe('a start', () => {
  it.each(AdPlatform.options)('within five minutes of now counts as absent on %s, with a warning', (platform) => {
    const near = [{ param: 'startDate', message: 'is within 5 minutes of now: the ad starts as soon as possible' }];
    for (const time of ['08:55:00', '09:00:00', '09:05:00'])
      expect(placed(platform, `2027-01-31T${time}Z`)).toEqual({ start: undefined, warnings: near });
    expect(placed(platform, '2027-01-31T08:54:59Z').start).toBe('2027-01-31T08:54:59Z');
    expect(placed(platform, '2027-01-31T09:05:01Z').start).not.toBeUndefined();
  });

  it.each(AdPlatform.options.filter((platform) => platform !== 'B'))(
    'keeps its second on %s, and a fraction is rounded up without a warning',
    (platform) => {
      const moved = placed(platform, '2027-02-02T11:45:10.250+05:45');
      expect(moved).toEqual({ start: '2027-02-02T06:00:11.000Z', warnings: [] });
    },
  );

  it.each([
    ['America/New_York', '2027-02-03T05:00:00.000Z'],
    ['Asia/Kathmandu', '2027-02-02T18:15:00.000Z'],
    ['Pacific/Auckland', '2027-02-03T11:00:00.000Z'],
    ['Europe/Berlin', '2027-02-02T23:00:00.000Z'],
    ['Etc/UTC', '2027-02-03T00:00:00.000Z'],
  ])('moves on B to the next day of an ad account in %s, with a warning', (timezone, start) => {
    const why = `campaigns of this platform start at the beginning of a day of the ad account (${timezone})`;
    expect(placed('B', '2027-02-02T11:30:00Z', timezone)).toEqual({
      start,
      warnings: [{ param: 'startDate', message: `is moved to ${start}: ${why}` }],
    });
    expect(placed('B', start, timezone)).toEqual({ start, warnings: [] });
  });

  it.each(AdPlatform.options)('must be ahead on %s, at most 365 days, and before the end', (platform) => {
    const timed = (startDate: string, endDate?: string): string[] => problemsOf(platform, { startDate, endDate });
    expect(timed('2027-01-31T08:54:59Z')).toEqual(['startDate must be in the future']);
    expect(timed('2028-01-31T05:00:00Z')).toEqual([]);
    expect(timed('2028-02-01T05:00:01Z')).toEqual(['startDate must be at most 365 days ahead']);
    const end = '2027-03-01T05:00:00Z';
    expect(timed(end, end)).toEqual([`startDate must be before endDate, which is ${end}`]);
    expect(timed('2027-02-10T05:00:00Z', end)).toEqual([]);
  });

  it('is rejected together with everything else', () => {
    const wrong = { startDate: '2029-01-01T00:00:00Z', endDate: '2027-01-01T00:00:00Z', budgetAmount: 0.01 };
    expect(problemsOf('A', wrong)).toEqual([
      'budgetAmount must be at least 1 USD',
      'startDate must be at most 365 days ahead',
      'endDate must be in the future',
    ]);
  });

  it('in the future is what a new end must follow', () => {
    const said = (endDate: string): string | undefined =>
      endProblem(endDate, { adAccount: adAccountIn(), now, start: new Date('2027-02-10T05:00:00Z') });
    expect(said('2027-02-10T05:00:00Z')).toBe('must be after the start, which is 2027-02-10T05:00:00.000Z');
    expect(said('2027-02-10T05:00:01Z')).toBeUndefined();
  });

  it('must leave on B a whole day before the end', () => {
    const startDate = '2027-02-10T05:00:00.000Z';
    expect(problemsOf('B', { startDate, endDate: '2027-02-11T04:59:58Z' })).toEqual([
      expect.stringMatching(/^endDate must be 2027-02-11T04:59:59.000Z or later/),
    ]);
    expect(problemsOf('B', { startDate, endDate: '2027-02-11T04:59:59Z' })).toEqual([]);
  });

  it('needs the time zone of the ad account on B alone', () => {
    const startDate = '2027-02-10T05:00:00.000Z';
    const unknown =
      'cannot be moved to the start of a day: the platform reports no time zone of the ad account; omit it';
    for (const platform of AdPlatform.options) {
      const facts = { startPrecision: platforms[platform].startPrecision, adAccount: adAccountIn(), now };
      const { input, warnings } = withSupportedStart(inputOf({ startDate }), facts);
      expect([input.startDate, warnings]).toEqual([startDate, []]);
      const said = problemsOf(platform, { startDate }, '');
      expect(said).toEqual(platform === 'B' ? [`startDate ${unknown}`] : []);
    }
  });

  it('leaves a daily budget more than 24 hours on A', () => {
    const startDate = '2027-02-10T05:00:00Z';
    const said = (endDate: string): string[] => problemsOf('A', { startDate, endDate });
    expect(said('2027-02-11T05:00:00Z')).toEqual([
      'endDate must be more than 24 hours after startDate with a daily budget',
    ]);
    expect(said('2027-02-11T05:00:01Z')).toEqual([]);
  });

  it('is where the days of a lifetime budget are counted from', () => {
    const lifetime = (startDate: string | undefined, budgetAmount: number): string[] =>
      problemsOf('D', { budgetType: 'lifetime', budgetAmount, startDate, endDate: '2027-02-07T09:00:00Z' });
    expect(lifetime(undefined, 40)).toEqual(['budgetAmount must be at least 140 USD, 20 a day over 7 days']);
    expect(lifetime('2027-02-05T09:00:00Z', 40)).toEqual([]);
    expect(lifetime('2027-02-05T08:59:59Z', 40)).toEqual([
      'budgetAmount must be at least 60 USD, 20 a day over 3 days',
    ]);
  });

  it('counts the calendar days of the ad account on B, also in a week with an hour more', () => {
    const lifetime = (budgetAmount: number): string[] =>
      problemsOf('B', {
        budgetType: 'lifetime',
        budgetAmount,
        startDate: '2027-11-05T04:00:00Z',
        endDate: '2027-11-12T04:59:59Z',
      });
    expect(lifetime(7)).toEqual([]);
    expect(lifetime(6.99)).toEqual(['budgetAmount must be at least 7 USD, 1 a day over 7 days']);
  });

  it('warns if the order reached the platform after it', () => {
    const input = inputOf({ startDate: '2027-02-02T09:00:00Z' });
    const sent = (text: string) =>
      lateStartWarning(input, [{ name: 'adSet', state: 'done', startedAt: now, startDate: new Date(text) }]);
    expect(sent('2027-02-02T09:00:00Z')).toEqual([]);
    expect(sent('2027-02-02T11:02:00Z')).toEqual([
      {
        param: 'startDate',
        message:
          'is moved to 2027-02-02T11:02:00.000Z: the order reached the platform too late for 2027-02-02T09:00:00Z',
      },
    ]);
  });
});
