import type { AdReport, AdReportRow } from '../../src/contract/report.ts';
import type { View } from '../../src/pages/ads/view.ts';

export const view: View = { account: 'a'.repeat(24), adAccount: 'act_1', level: 'campaign' };

type Sample = Omit<Partial<AdReport>, 'rows'> & { rows?: Partial<AdReportRow>[] };

/** A report of three days by day or by campaign; `rows` are completed. */
export const reportWith = ({ rows = [], ...given }: Sample = {}): AdReport => ({
  accountId: 'a'.repeat(24),
  adAccountId: 'act_1',
  platform: 'network-a',
  level: 'account',
  fromDate: '2026-10-01',
  toDate: '2026-10-03',
  granularity: 'day',
  breakdowns: [],
  currency: 'EUR',
  timeZone: 'Europe/Berlin',
  timeZoneBasis: 'ad_account',
  fetchedAt: '2026-10-04T12:20:00.000Z',
  dataAsOf: '2026-10-04T12:05:00.000Z',
  isFinal: false,
  finalThrough: { delivery: '2026-10-02', conversions: '2026-09-06' },
  isComplete: true,
  missing: [],
  retryAfterSeconds: null,
  progress: null,
  attribution: { clickDays: 7, viewDays: 1, engagedViewDays: null, basis: 'ad_setting', reportTime: 'ad_action' },
  definitions: {
    clicks: 'all',
    videoViews: '3 seconds',
    conversions: 'optimised_event',
    roas: 'purchases',
    reach: 'estimated_people',
  },
  rows: rows.map((row) => ({
    date: null,
    objectId: null,
    platformId: '1',
    name: null,
    status: null,
    campaignId: null,
    adSetId: null,
    platformCampaignId: null,
    platformAdSetId: null,
    breakdown: [],
    metrics: {},
    ...row,
  })),
  totals: {},
  unavailable: [],
  pagination: { page: 1, limit: 50, total: rows.length, totalIsExact: true, pages: 1, nextCursor: null },
  ...given,
});

export const daysWith = (...spend: (number | null)[]): Partial<AdReportRow>[] =>
  spend.map((amount, at) => ({ date: `2026-10-0${at + 1}`, metrics: { spend: amount } }));
