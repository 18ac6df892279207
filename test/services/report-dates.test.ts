import { describe, expect, it } from 'vitest';
import { parseInput } from '../../src/contract/parse.ts';
import { AdReportInput, type DatePreset } from '../../src/contract/report-input.ts';
import { dayOf } from '../../src/lib/account-time.ts';
import { rangeOf } from '../../src/services/reports/dates.ts';

const preset = (datePreset: DatePreset, today: string): string[] =>
  Object.values(rangeOf({ datePreset, granularity: 'total' }, today));

describe('a range by name', () => {
  it.each<[DatePreset, string, string, string]>([
    ['today', '2026-03-01', '2026-03-01', '2026-03-01'],
    ['yesterday', '2026-03-01', '2026-02-28', '2026-02-28'],
    ['yesterday', '2028-03-01', '2028-02-29', '2028-02-29'],
    ['last_7_days', '2026-01-03', '2025-12-27', '2026-01-02'],
    ['last_14_days', '2026-03-29', '2026-03-15', '2026-03-28'],
    ['last_28_days', '2026-03-01', '2026-02-01', '2026-02-28'],
    ['last_30_days', '2026-11-29', '2026-10-30', '2026-11-28'],
    ['this_month', '2026-03-01', '2026-03-01', '2026-03-01'],
    ['this_month', '2026-03-31', '2026-03-01', '2026-03-31'],
    ['last_month', '2026-01-31', '2025-12-01', '2025-12-31'],
    ['last_month', '2028-03-31', '2028-02-01', '2028-02-29'],
  ])('%s on %s is from %s to %s', (name, today, fromDate, toDate) => {
    expect(preset(name, today)).toEqual([fromDate, toDate]);
  });

  it('is last_30_days if nothing is named', () => {
    expect(rangeOf({ granularity: 'total' }, '2026-11-29')).toEqual(
      rangeOf({ datePreset: 'last_30_days', granularity: 'total' }, '2026-11-29'),
    );
  });

  // One minute before and after midnight, days without midnight and days of 23 and 25 hours included.
  it.each([
    ['Pacific/Auckland', '2026-09-26T11:59:00Z', '2026-09-26T12:01:00Z'],
    ['America/Los_Angeles', '2026-11-01T06:59:00Z', '2026-11-01T07:01:00Z'],
    ['America/Los_Angeles', '2026-03-09T06:59:00Z', '2026-03-09T07:01:00Z'],
    ['Asia/Kolkata', '2026-02-28T18:29:00Z', '2026-02-28T18:31:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T13:29:00Z', '2026-10-03T13:31:00Z'],
    ['Etc/GMT+5', '2026-01-01T04:59:00Z', '2026-01-01T05:01:00Z'],
    ['UTC', '2028-02-29T23:59:00Z', '2028-03-01T00:01:00Z'],
  ])('moves by one day at midnight of %s', (timeZone, before, after) => {
    const [earlier, later] = [before, after].map((at) => dayOf(new Date(at), timeZone)) as [string, string];
    expect(preset('yesterday', later)).toEqual([earlier, earlier]);
  });
});

describe('a range by dates', () => {
  const range = (fromDate: string, toDate: string, granularity: 'total' | 'day' = 'total') =>
    rangeOf({ fromDate, toDate, granularity }, '2026-11-29');

  it('ends today at the latest', () => {
    expect(range('2026-11-29', '2026-11-29')).toEqual({ fromDate: '2026-11-29', toDate: '2026-11-29' });
    expect(() => range('2026-11-29', '2026-11-30')).toThrow('toDate: must not be after today, which is 2026-11-29');
  });

  it.each([
    ['total', '2024-11-29', '2024-11-28', 731],
    ['day', '2025-11-29', '2025-11-28', 366],
  ] as const)('with granularity %s begins on %s at the earliest', (granularity, first, tooEarly, maxDays) => {
    expect(range(first, '2026-11-29', granularity).fromDate).toBe(first);
    expect(() => range(tooEarly, '2026-11-29', granularity)).toThrow(
      expect.objectContaining({
        code: 'invalid_field_value',
        extras: expect.objectContaining({ param: 'fromDate', details: expect.objectContaining({ maxDays }) }),
      }),
    );
  });
});

describe('the input of a report', () => {
  const problemsOf = (input: object): Record<string, string[]> => {
    try {
      parseInput(AdReportInput, { accountId: 'a'.repeat(24), ...input });
      return {};
    } catch (error) {
      return (error as { extras: { details: { fields: Record<string, string[]> } } }).extras.details.fields;
    }
  };

  it.each<[object, string, RegExp]>([
    [{ fromDate: '2026-10-01T00:00:00Z', toDate: '2026-10-02' }, 'fromDate', /without a time: 2026-10-01$/],
    [{ fromDate: '2026-02-30', toDate: '2026-03-02' }, 'fromDate', /calendar day such as 2026-10-01/],
    [{ fromDate: '2026-10-01' }, 'toDate', /required with fromDate/],
    [{ toDate: '2026-10-01' }, 'fromDate', /required with toDate/],
    [{ fromDate: '2026-10-02', toDate: '2026-10-01' }, 'fromDate', /not be after toDate 2026-10-01/],
    [{ datePreset: 'today', fromDate: '2026-10-02', toDate: '2026-10-02' }, 'datePreset', /cannot be combined/],
    [{ datePreset: 'forever' }, 'datePreset', /one of today, yesterday/],
    [{ metrics: ['spent'] }, 'metrics.0', /one of spend/],
    [{ metrics: ['spend', 'spend'] }, 'metrics.1', /given twice/],
    [{ breakdowns: ['age', 'gender', 'country'] }, 'breakdowns', /at most 2 entries/],
    [{ level: 'campaign', adIds: ['1'] }, 'adIds', /below level campaign/],
    [{ level: 'account', campaignIds: ['1'] }, 'campaignIds', /below level account/],
    [{ level: 'ad', campaignIds: ['1'], adSetIds: ['2'] }, 'adSetIds', /cannot be combined with campaignIds/],
    [{ maxAgeSeconds: 59 }, 'maxAgeSeconds', /at least 60/],
    [{ limit: 1001 }, 'limit', /at most 1000/],
  ])('rejects %j', (input, path, message) => {
    expect(problemsOf(input)[path]?.join()).toMatch(message);
  });

  it('accepts objects at the level of the report and above it', () => {
    expect(problemsOf({ level: 'ad', campaignIds: ['1'] })).toEqual({});
    expect(problemsOf({ level: 'ad', adIds: ['1'] })).toEqual({});
  });
});
