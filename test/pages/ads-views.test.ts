import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/contract/error.ts';
import type { AdReport } from '../../src/contract/report.ts';
import { spendChart } from '../../src/pages/ads/chart.ts';
import { summaryCards } from '../../src/pages/ads/cards.ts';
import { daysIn } from '../../src/pages/ads/days.ts';
import { amount, change, money, percent } from '../../src/pages/ads/format.ts';
import { adsPage, type AdsPage } from '../../src/pages/ads/page.ts';
import { sparkline } from '../../src/pages/ads/sparkline.ts';
import { figuresTable } from '../../src/pages/ads/table.ts';
import { daysRequest, hrefOf, tableRequest, viewOf } from '../../src/pages/ads/view.ts';
import { freshness } from '../../src/pages/ads/words.ts';
import type { Viewer } from '../../src/pages/layout.ts';
import { daysWith, reportWith, view } from './ads-report.ts';
import { markupProblems } from './markup.ts';

/** The text without elements, with single spaces. */
const textOf = (html: unknown): string =>
  String(html)
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

const place = { use: 'ads', path: '/ads', name: 'Ads', heading: 'Ads', purpose: 'Figures' } as const;
const viewer = { place, caller: { userName: 'Ann' }, session: { token: 't' } } as Viewer;
const accounts: AdsPage['accounts'] = [
  {
    _id: 'a'.repeat(24),
    platform: 'network-a',
    displayName: 'Shop & Co',
    adAccounts: [
      { id: 'act_1', name: 'Main', currency: 'EUR' },
      { id: 'act_2', name: 'Second', currency: 'JPY' },
    ],
  },
];

const campaigns = (...rows: Parameters<typeof reportWith>[0][]): AdReport =>
  reportWith({ level: 'campaign', granularity: 'total', ...Object.assign({}, ...rows) });

const tableOf = (report: AdReport, days = new Map()): string => String(figuresTable({ view, report, days }));

const pageWith = (given: Partial<AdsPage> = {}): string => String(adsPage(viewer, { view, accounts, ...given }));

const figures = (days: AdReport, rows: AdReport): AdsPage['figures'] => ({
  days,
  table: { view, report: rows, days: new Map() },
});

describe('the spend chart', () => {
  it('has a bar for each day from a zero line, and hatches days that can still change', () => {
    const svg = String(spendChart(reportWith({ rows: daysWith(10, 0, 5), totals: { spend: 15 } })));
    const bars = [...svg.matchAll(/<rect class="(final|provisional)"([^>]*)>/g)].map(([, look, rest = '']) => [
      look,
      Number(/ height="([\d.]+)"/.exec(rest)?.[1]),
      rest.includes('fill="url(#hatch)"'),
    ]);
    expect(bars).toEqual([
      ['final', 158, false],
      ['final', 0, false],
      ['provisional', 79, true],
    ]);
    expect(svg).toMatch(/<line class="zero" x1="0" x2="720" y1="159" y2="159"/);
    expect(svg).toContain('<title id="spend-title">Spend per day</title>');
    expect(textOf(svg)).toContain(
      'From 1 October 2026 to 3 October 2026: €15.00 in total, at most €10.00 a day, on 1 October 2026. Hatched days may still change.',
    );
  });

  it('shows a credit below the zero line', () => {
    const svg = String(spendChart(reportWith({ rows: daysWith(10, -10, 0) })));
    expect(svg).toMatch(/<line class="zero" x1="0" x2="720" y1="80" y2="80"/);
    expect(svg.match(/ y="80"\s+height="79"/g)).toHaveLength(1);
  });

  it('shows days that were not read as a labelled gap and never as zero', () => {
    const missing: AdReport['missing'] = [{ fromDate: '2026-10-02', toDate: '2026-10-03', reason: 'loading' }];
    const svg = String(spendChart(reportWith({ rows: daysWith(10), missing, totals: null, isComplete: false })));
    expect(svg.match(/<rect class="(final|provisional)"/g)).toHaveLength(1);
    expect(svg).toMatch(/<g class="gap">[\s\S]*<rect x="240" y="0" width="480"[\s\S]*no figures/);
    expect(textOf(svg)).toContain('2 October 2026 to 3 October 2026: still loading from the platform.');
    expect(textOf(svg)).toContain('2 October 2026 – not read');
    expect(textOf(svg)).not.toContain('in total');
  });

  it('lists the same values as a table', () => {
    const text = textOf(spendChart(reportWith({ rows: daysWith(10, null, 0) })));
    expect(text).toContain('1 October 2026 €10.00 2 October 2026 – not reported 3 October 2026 €0.00 may change');
  });

  it('takes a day without a row for zero, if it was read', () => {
    const missing: AdReport['missing'] = [{ fromDate: '2026-10-03', toDate: '2026-10-03', reason: 'failed' }];
    const report = reportWith({ rows: daysWith(10), missing });
    expect(daysIn(report, 'spend').map(({ value }) => value)).toEqual([10, 0, undefined]);
  });
});

describe('a sparkline', () => {
  it('has one line for each run of days, scaled from zero', () => {
    const svg = String(sparkline([4, 2, undefined, 0, null, 4].map((value) => ({ value }))));
    const lines = [...svg.matchAll(/points="([^"]+)"/g)].map(([, points]) => points);
    expect(lines).toEqual(['0,2 20,12', '60,22 60,22', '100,2 100,2']);
    expect(svg).toContain('aria-hidden="true"');
  });

  it('draws days without delivery as a line at the bottom', () => {
    expect(String(sparkline([{ value: 0 }, { value: 0 }]))).toContain('points="0,22 100,22"');
  });
});

describe('the cards', () => {
  it('show each total with its change against the range before', () => {
    const now = reportWith({ totals: { spend: 110, impressions: 0, clicks: 5, conversions: null } });
    const before = reportWith({
      fromDate: '2026-09-28',
      toDate: '2026-09-30',
      totals: { spend: 100, impressions: 10, clicks: 0, conversions: 1 },
    });
    const text = textOf(
      summaryCards({ ...now, unavailable: [{ metric: 'conversions', reason: 'mixed_events' }] }, before),
    );
    expect(text).toContain('Spend €110.00 +10%, €100.00 before');
    expect(text).toContain('Impressions 0 -100%, 10 before');
    expect(text).toContain('Clicks 5 0 before');
    expect(text).toContain('Before: 28 September 2026 to 30 September 2026.');
    expect(text).toContain(
      'Conversions – The ad sets optimise for different events – No complete figures to compare with',
    );
  });

  it('say that a total is not known if the figures of some rows are not', () => {
    const text = textOf(summaryCards(reportWith({ totals: { spend: 1, conversions: null } }), undefined));
    expect(text).toContain('Conversions – Not known for all of it');
  });

  it.each([
    ['there is none', undefined],
    ['it is not complete', reportWith({ totals: null })],
  ])('compare with no range before if %s', (_case, before) => {
    const text = textOf(summaryCards(reportWith({ totals: { spend: 110 } }), before));
    expect(text).toContain('Spend €110.00 – No complete figures to compare with');
  });
});

describe('the table', () => {
  it('distinguishes 0, an unknown figure and a ratio without a denominator', () => {
    const report = campaigns({
      rows: [{ metrics: { spend: 0, impressions: 0, clicks: 0, ctr: null, conversions: null } }],
      unavailable: [{ metric: 'conversions', reason: 'not_offered' }],
    });
    const [, row = ''] = /<tbody>([\s\S]*)<\/tbody>/.exec(tableOf(report)) ?? [];
    expect(textOf(row)).toMatch(/^1 0\.00 0 0 – Nothing to divide by – Not offered by this platform/);
    expect(row).toContain('title="Not offered by this platform"');
  });

  it('has amounts with the digits of the currency, and per cent', () => {
    const metrics = { spend: 1234.5, ctr: 0.0123, roas: 4.118207, costPerConversion: 10.255 };
    expect(textOf(tableOf(campaigns({ rows: [{ metrics }] })))).toMatch(/1,234\.50 .* 1\.23% .* 10\.26 4\.12/);
    expect(textOf(tableOf(campaigns({ rows: [{ metrics }], currency: 'JPY' })))).toMatch(/1,235 .* 10 4\.12/);
  });

  it('leads from a campaign to its ad sets and from an ad set to its ads', () => {
    const row = { platformId: '77', name: 'Autumn', status: 'active' as const };
    expect(tableOf(campaigns({ rows: [row] }))).toContain(
      `<a href="/ads?account=${'a'.repeat(24)}&amp;adAccount=act_1&amp;level=ad_set&amp;campaign=77">`,
    );
    expect(tableOf(campaigns({ rows: [row], level: 'ad_set' }))).toContain('level=ad&amp;adSet=77">');
    expect(tableOf(campaigns({ rows: [row], level: 'ad' }))).toContain('<th scope="row"><span class="text">Autumn');
  });

  it('shows names as text, and the id of an object that has none', () => {
    const canary = '<script>alert(1)</script>"\'><img src=x>';
    const html = tableOf(campaigns({ rows: [{ name: canary }, { platformId: '"><b>9' }] }));
    expect(html).not.toMatch(/<script|<img|<b>/);
    expect(html).toContain('&lt;script&gt;');
    expect(html).toContain('&quot;&gt;&lt;b&gt;9');
  });

  it('adds up all pages in its foot, or nothing while days are missing', () => {
    const rows = [{ metrics: { spend: 1 } }];
    const pagination = { page: 1, limit: 50, total: 120, totalIsExact: true, pages: 3, nextCursor: null };
    expect(textOf(tableOf(campaigns({ rows, pagination, totals: { spend: 99 } })))).toContain(
      'Total of 120 campaigns 99.00',
    );
    expect(tableOf(campaigns({ rows, totals: null }))).not.toContain('<tfoot>');
  });

  it('has pages of fifty rows and keeps the rest of the address', () => {
    const pagination = { page: 2, limit: 50, total: 120, totalIsExact: true, pages: 3, nextCursor: null };
    const report = campaigns({ rows: [{}], pagination });
    const html = String(figuresTable({ view: { ...view, sort: 'clicks', page: '2' }, report, days: new Map() }));
    const links = [...html.matchAll(/rel="(\w+)" href="([^"]+)"/g)].map(([, rel, href = '']) => [
      rel,
      Object.fromEntries(new URLSearchParams(href.replaceAll('&amp;', '&').split('?')[1])),
    ]);
    const same = { account: 'a'.repeat(24), adAccount: 'act_1', level: 'campaign', sort: 'clicks' };
    expect(links).toEqual([
      ['prev', same],
      ['next', { ...same, page: '3' }],
    ]);
    expect(html).toMatch(/aria-sort="descending"[^>]*>\s*<a[^>]*>Clicks/);
  });

  it('has fifty sparklines of ninety days in less than 100 kB', () => {
    const ids = Array.from({ length: 50 }, (_, at) => String(at));
    const line = Array.from({ length: 90 }, (_, at) => ({ value: (at * 37) % 101 }));
    const report = campaigns({ rows: ids.map((platformId) => ({ platformId })) });
    const svgs = tableOf(report, new Map(ids.map((id) => [id, line]))).match(/<svg[\s\S]*?<\/svg>/g) ?? [];
    expect(svgs).toHaveLength(50);
    expect(svgs.join('').length).toBeLessThan(100_000);
  });
});

describe('the freshness of figures', () => {
  const final = { isFinal: true };
  it.each([
    ['final figures', final, 'Figures as of 4 October 2026, 14:05. They are final.'],
    [
      'days that can change',
      {},
      'Figures as of 4 October 2026, 14:05. Days after 2 October 2026 may still change. Conversions of all days may still change.',
    ],
    [
      'conversions that can change',
      { finalThrough: { delivery: '2026-10-03', conversions: '2026-10-01' } },
      'Figures as of 4 October 2026, 14:05. Conversions of days after 1 October 2026 may still change.',
    ],
    [
      'no final day',
      { finalThrough: { delivery: '2026-09-30', conversions: null } },
      'Figures as of 4 October 2026, 14:05. All days may still change.',
    ],
    ['no figures', { dataAsOf: null }, 'No figures have been read yet.'],
  ])('is said for %s', (_case, given, text) => {
    expect(freshness(reportWith(given))).toBe(text);
  });
});

describe('the ads page', () => {
  const full = (): string => {
    const rows = [{ platformId: '7', name: 'Autumn', status: 'active' as const, metrics: { spend: 15 } }];
    return pageWith({
      figures: {
        ...figures(
          reportWith({
            rows: daysWith(10, 0, 5),
            totals: { spend: 15 },
            warnings: [{ param: 'rows', message: 'Old' }],
          }),
          campaigns({ rows, totals: { spend: 15 } }),
        )!,
        before: reportWith({ totals: { spend: 10 } }),
      },
    });
  };

  it.each([
    ['figures', full],
    [
      'the ad sets of a campaign',
      () => pageWith({ view: { ...view, campaign: '7', level: 'ad_set' }, path: { campaign: 'A' } }),
    ],
    ['figures that are loading', () => pageWith()],
    ['a problem', () => pageWith({ problem: new AppError('rate_limited', 'Later <please>') })],
    ['no account', () => pageWith({ accounts: [] })],
  ])('is valid and has no inline style or script with %s', async (_case, page) => {
    const html = page();
    expect(await markupProblems(html)).toEqual([]);
    expect(html).not.toMatch(/<script|<style| style=| on\w+=|https?:\/\//);
  });

  it('says what it is about, in which currency and time zone', () => {
    const text = textOf(full());
    expect(text).toContain('Main Shop &amp; Co on network-a · EUR · days are in Europe/Berlin');
    expect(text).toContain('Figures as of 4 October 2026, 14:05.');
    expect(text).toContain('Old');
  });

  it('reloads itself at most ten times while figures are loading', () => {
    const refresh = (tries?: string): string | undefined =>
      /http-equiv="refresh" content="([^"]+)"/.exec(pageWith({ view: { ...view, tries } }))?.[1];
    expect(refresh()).toMatch(/^15; url=\/ads\?account=a{24}&amp;adAccount=act_1&amp;level=campaign&amp;tries=1$/);
    expect(refresh('9')).toContain('tries=10');
    expect([refresh('10'), refresh('x')]).toEqual([undefined, undefined]);
    expect(textOf(pageWith({ view: { ...view, tries: '10' } }))).toContain('Reload the page to look again.');
  });

  it('says how far loading has come, and shows what there is', () => {
    const missing: AdReport['missing'] = [{ fromDate: '2026-10-02', toDate: '2026-10-03', reason: 'loading' }];
    const part = { missing, isComplete: false, totals: null, progress: { done: 1, total: 3 } };
    const html = pageWith({
      figures: figures(
        reportWith({ ...part, rows: daysWith(10) }),
        campaigns({ ...part, rows: [{ metrics: { spend: 10 } }] }),
      ),
    });
    expect(textOf(html)).toContain('1 of 3 days are read. The page reloads itself every 15 seconds.');
    expect(textOf(html)).toContain('No figures for 2 October 2026 to 3 October 2026: still loading from the platform.');
    expect(html).toContain('<td class="number">10.00</td>');
    expect(html).not.toContain('Download as CSV');
  });

  it('says if nothing was delivered', () => {
    const text = textOf(pageWith({ figures: figures(reportWith(), campaigns()) }));
    expect(text).toContain('Nothing was delivered from 1 October 2026 to 3 October 2026.');
  });

  it('offers the other ad accounts for the same days', () => {
    const html = pageWith({ view: { ...view, preset: 'last_7_days', campaign: '7' } });
    expect(html).toContain(`href="/ads?account=${'a'.repeat(24)}&amp;adAccount=act_2&amp;preset=last_7_days"`);
  });
});

describe('an address of the ads page', () => {
  it('takes empty fields for absent, dates before a preset, and each field once', () => {
    expect(viewOf({ from: ['2026-10-01'], to: [''], preset: ['today'], other: ['x'] })).toEqual({
      from: '2026-10-01',
      preset: undefined,
    });
    expect(() => viewOf({ level: ['ad', 'campaign'] })).toThrow('level: must be given once');
  });

  it('starts another view at its first page', () => {
    expect(hrefOf({ account: 'a', page: '3', tries: '2' }, { sort: 'name' })).toBe('/ads?account=a&sort=name');
  });

  it('asks for the days of what the page is about, and for the rows in it', () => {
    const range = { datePreset: 'last_30_days' };
    expect(daysRequest(view)).toMatchObject({ level: 'account', granularity: 'day', ...range });
    expect(daysRequest({ ...view, campaign: '7' })).toMatchObject({ level: 'campaign', campaignIds: ['7'] });
    const ads = { ...view, level: 'ad', campaign: '7', adSet: '8', from: '2026-10-01', to: '2026-10-02' };
    expect(daysRequest(ads)).toMatchObject({ level: 'ad_set', adSetIds: ['8'], fromDate: '2026-10-01' });
    expect(tableRequest(ads)).toMatchObject({ level: 'ad', adSetIds: ['8'] });
    expect(tableRequest(ads)).not.toHaveProperty('campaignIds');
  });
});

describe('numbers', () => {
  it('have the digits and the sign of their currency', () => {
    expect([money(1234.5, 'EUR'), money(1234.5, 'JPY'), money(1.2345, 'KWD'), money(-2, 'USD'), money(3, '')]).toEqual([
      '€1,234.50',
      '¥1,235',
      'KWD\u00A01.235',
      '-$2.00',
      '3.00',
    ]);
    expect([amount(1.5, 'JPY'), amount(1.5, 'EUR'), percent(0.0123), change(-0.1234), change(0)]).toEqual([
      '2',
      '1.50',
      '1.23%',
      '-12.3%',
      '0%',
    ]);
  });
});
