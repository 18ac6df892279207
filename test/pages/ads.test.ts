import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dayOf } from '../../src/lib/account-time.ts';
import { PlatformError } from '../../src/platforms/error.ts';
import type { AdsAdapter, ReportQuery } from '../../src/platforms/platform.ts';
import { addDays } from '../../src/lib/calendar-days.ts';
import { endPageSession } from '../../src/services/page-sessions.ts';
import { openSession } from '../../src/pages/session-cookie.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { seedCampaignTrees } from '../support/campaign-trees.ts';
import { inOneMinute } from '../support/one-minute.ts';
import { reportsFrom, type Delivered } from '../support/reports.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';
import { visitor, type Visitor } from './browser-session.ts';
import { markupProblems } from './markup.ts';

const timeZone = 'Europe/Oslo';
const adAccount = { id: 'act_1', name: 'Main', currency: 'EUR', timezone: timeZone, isActive: true };
const daysAgo = (count: number): string => addDays(dayOf(new Date(), timeZone), -count);
const canary = '<script>alert(1)</script>"\'><img src=x>';

let app: TestApp;
let fixture: UserFixture;
let person: Visitor;
let hold: Promise<void> | undefined;
let failure: PlatformError | undefined;
const queries: ReportQuery[] = [];

const nothing = { purchases: 0n, purchaseValue: 0n, leads: 0n, videoViews: 0n, videoPlays: 0n };
const noQuarters = { videoP25: 0n, videoP50: 0n, videoP75: 0n, videoP100: 0n };

const day = (at: number, ago: number, spend: bigint): Delivered => {
  const counts = { spend, impressions: spend / 1000n, clicks: spend / 100_000n, linkClicks: 1n, engagement: 2n };
  return {
    campaign: `c${at}`,
    adSet: `s${at}-0`,
    ad: `a${at}-0-0`,
    date: daysAgo(ago),
    figures: { ...nothing, ...noQuarters, ...counts, events: {} },
  };
};

/** A platform with sixty campaigns, which can be slow or fail. */
beforeAll(async () => {
  app = await startTestApp();
  fixture = await createUserFixture(app);
  const { db, platforms } = app.app.services;
  const { userId, profileId, accountId } = fixture;
  const $set = { adAccounts: [adAccount, { ...adAccount, id: 'act_2', name: 'Empty' }], adAccountsAt: new Date() };
  await db.accounts.updateOne({ _id: accountId }, { $set });
  await seedCampaignTrees(db, { userId, profileId, accountId }, { campaigns: 60, adSets: 1, ads: 1 });
  await db.campaigns.updateOne({ platformCampaignId: 'c0', userId }, { $set: { name: canary } });
  const delivered = [
    ...Array.from({ length: 60 }, (_, at) => day(at, 2, BigInt(60 - at) * 1_000_000n)),
    day(0, 40, 30_000_000n),
    day(1, 90, 5_000_000n),
  ];
  const reports = reportsFrom(() => delivered, { queries });
  Object.assign(platforms, {
    A: {
      ...platforms.A,
      reports: {
        ...reports,
        async *read(access, query) {
          await hold;
          if (failure) throw failure;
          if (query.adAccount.id === 'act_1') yield* reports.read(access, query);
          else queries.push(query);
        },
      },
    } as AdsAdapter,
  });
});
afterAll(() => app.stop());

beforeEach(async () => {
  [hold, failure] = [undefined, undefined];
  queries.length = 0;
  person = await signedIn(fixture.key);
});

async function signedIn(key: string): Promise<Visitor> {
  const signing = visitor(app.url);
  expect((await signing.signIn(key, '/ads')).status).toBe(303);
  return signing;
}

const address = (more: Record<string, string> = {}, path = '/ads'): string =>
  `${path}?${new URLSearchParams({ account: fixture.accountId, adAccount: 'act_1', ...more })}`;

/** The platform answers no report until the returned function is called. */
function holdPlatform(): () => void {
  let release = (): void => undefined;
  hold = new Promise((resolve) => (release = resolve));
  return release;
}

/** As if all figures had been read seven hours before they were. */
async function ageFigures(): Promise<void> {
  const { adFigureCoverage } = app.app.services.db;
  for (const { _id, days } of await adFigureCoverage.find({ _id: new RegExp(`^${fixture.accountId}`) }).lean()) {
    const aged = Object.entries(days).map(([name, { read, at }]) => [
      name,
      { read, at: new Date(at.getTime() - 7 * 3_600_000) },
    ]);
    await adFigureCoverage.updateOne({ _id }, { $set: { days: Object.fromEntries(aged) } });
  }
}

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The names of the rows. */
const namesIn = (html: string): string[] =>
  [...html.matchAll(/<th scope="row">\s*(?:<a [^>]*>)?<span class="text">([^<]*)</g)].map(([, name = '']) => name);

/** The page once it has figures: it waits two seconds for a platform, and a busy machine takes longer. */
async function shown(path: string): ReturnType<Visitor['get']> {
  let page = await person.get(path);
  const isLoading = async (): Promise<boolean> => {
    if (textOf(page.text).includes('Figures are being loaded')) page = await person.get(path);
    return textOf(page.text).includes('Figures are being loaded');
  };
  await expect.poll(isLoading).toBe(false);
  return page;
}

const linkTo = (html: string, name: string): string =>
  (new RegExp(`<a href="([^"]+)"><span class="text">${name}<`).exec(html)?.[1] ?? '').replaceAll('&amp;', '&');

describe('the ads page', () => {
  it('shows the figures of the first ad account by itself, as a valid page under the same policy as /deliveries', async () => {
    const { status, text, headers } = await shown('/ads');
    expect(status).toBe(200);
    expect(textOf(text)).toContain('Main Test Shop on network-a · EUR · days are in Europe/Oslo');
    const first = await shown(address());
    expect(await markupProblems(first.text)).toEqual([]);
    expect(textOf(first.text)).toContain('Spend €1,830.00');
    const policy = (await visitor(app.url).get('/deliveries')).headers.get('content-security-policy');
    expect(headers.get('content-security-policy')).toBe(policy);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(first.text).not.toMatch(/<script|<style| style=|https?:\/\//);
  });

  it('asks the platform for nothing that is stored', async () => {
    await shown(address({ preset: 'last_7_days' }));
    queries.length = 0;
    const again = await shown(address({ preset: 'last_7_days' }));
    expect([again.status, queries]).toEqual([200, []]);
  });

  it('compares with the range of the same length before', async () => {
    const { text } = await shown(address({ from: daysAgo(30), to: daysAgo(1) }));
    expect(textOf(text)).toMatch(/Spend €1,830\.00 \+6,000%, €30\.00 before/);
    expect(textOf(text)).toMatch(/Impressions 1,830,000/);
  });

  it('has fifty campaigns a page, with totals of all of them', async () => {
    const [first, second] = [await shown(address()), await shown(address({ page: '2' }))];
    expect([namesIn(first.text).length, namesIn(second.text).length]).toEqual([50, 10]);
    for (const { text } of [first, second]) expect(textOf(text)).toContain('Total of 60 campaigns 1,830.00');
    expect(first.text.match(/<svg class="spark"/g)).toHaveLength(50);
    const sorted = await shown(address({ sort: 'name' }));
    expect(namesIn(sorted.text)[1]).toBe('Campaign 00001');
  });

  it('leads from a campaign to its ad sets and their ads, and shows the days of each', async () => {
    const campaigns = await shown(address());
    const adSets = await shown(linkTo(campaigns.text, 'Campaign 00001'));
    expect(textOf(adSets.text)).toMatch(/All campaigns Campaign 00001 .* Spend €59\.00/);
    const [adSet = ''] = namesIn(adSets.text);
    const ads = await shown(linkTo(adSets.text, adSet));
    expect(namesIn(ads.text)).toHaveLength(1);
    expect(textOf(ads.text)).toMatch(/Total of 1 ad 59\.00/);
    expect(await markupProblems(ads.text)).toEqual([]);
  });

  it('shows names of campaigns as text', async () => {
    const { text } = await shown(address());
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).not.toMatch(/<img/);
    const drilled = await shown(address({ level: 'ad_set', campaign: 'c0' }));
    expect(drilled.text).toContain('&lt;script&gt;');
    const odd = await shown(address({ sort: canary, campaign: canary }));
    expect([odd.status, odd.text.includes('<img')]).toEqual([400, false]);
  });

  it('says that nothing was delivered, which is not the same as no figures', async () => {
    const { text } = await shown(address({ adAccount: 'act_2' }));
    expect(textOf(text)).toContain('Spend €0.00');
    expect(textOf(text)).toContain('Nothing was delivered from');
  });

  it('answers while the platform is slow, and shows the figures once they have come', async () => {
    const release = holdPlatform();
    let waiting = await person.get(address({ from: daysAgo(100), to: daysAgo(80) }));
    expect(waiting.status).toBe(200);
    expect(textOf(waiting.text)).toContain('Figures are being loaded from the platform.');
    // A busy machine can take longer than a page waits for its reports.
    const shown = async (): Promise<string> => {
      waiting = await person.get(address({ from: daysAgo(100), to: daysAgo(80) }));
      return textOf(waiting.text);
    };
    await expect.poll(shown).toContain('still loading from the platform');
    const [, next = ''] = /http-equiv="refresh" content="15; url=([^"]+)"/.exec(waiting.text) ?? [];
    expect(next).toContain('tries=1');
    release();
    const loaded = async (): Promise<string> => textOf((await person.get(next.replaceAll('&amp;', '&'))).text);
    await expect.poll(loaded).toMatch(/Spend €5\.00 €0\.00 before .* Total of 1 campaign 5\.00/);
  });

  it('shows what is stored, with a note, if newer figures take too long', async () => {
    const range = { from: daysAgo(3), to: daysAgo(2) };
    // A busy machine can take longer than a page waits.
    const shown = async (): Promise<string> => textOf((await person.get(address(range))).text);
    await expect.poll(shown).toContain('Spend €1,830.00');
    await ageFigures();
    const release = holdPlatform();
    await expect.poll(shown).toMatch(/Newer figures are being read; these are from the last read.*Spend €1,830\.00/);
    release();
  });

  it('says that the platform limits requests, with the status of the API', async () => {
    failure = new PlatformError('A', 'rate_limited', 'Slow down', { retryAfterSeconds: 30 });
    const range = { from: daysAgo(200), to: daysAgo(190) };
    const api = await app.call(
      'GET',
      `/v1/ads/report?${new URLSearchParams({ accountId: fixture.accountId, adAccountId: 'act_1', fromDate: range.from, toDate: range.to })}`,
      { key: fixture.key },
    );
    let page = await person.get(address(range));
    await expect.poll(async () => (page = await person.get(address(range))).status).not.toBe(200);
    expect([page.status, page.headers.get('retry-after')]).toEqual([api.status, api.headers.get('retry-after')]);
    expect(textOf(page.text)).toContain(api.body.error);
    expect(page.text).toContain('name="from"');
  });

  it('rejects dates as the API does, and keeps the form', async () => {
    const { status, text } = await person.get(address({ from: '2026-10-02', to: '2026-10-01' }));
    expect(status).toBe(400);
    expect(text).toContain('role="alert"');
    expect(textOf(text)).toContain('From: must not be after To 2026-10-01');
    expect(text).toContain('value="2026-10-02"');
  });

  it('costs units like its reports', async () => {
    const left = async (path: string): Promise<number> =>
      Number((await person.get(path)).headers.get('x-ratelimit-remaining'));
    const [before, after, last] = await inOneMinute(async (): Promise<[number, number, number]> => [
      await left(address()),
      await left(address()),
      await left('/ads/nothing'),
    ]);
    expect([before - after, last]).toEqual([8, after - 1]);
  });
});

describe('its CSV', () => {
  it('is that of the API for the same rows', async () => {
    const file = await person.get(address({ campaign: 'c1', level: 'ad_set' }, '/ads/report.csv'));
    const query = { accountId: fixture.accountId, adAccountId: 'act_1', level: 'ad_set', campaignIds: 'c1' };
    const api = await fetch(`${app.url}/v1/ads/report?${new URLSearchParams({ ...query, format: 'csv' })}`, {
      headers: { Authorization: `Bearer ${fixture.key}` },
    });
    expect([file.status, file.text]).toEqual([200, await api.text()]);
    for (const name of ['content-type', 'content-disposition'])
      expect(file.headers.get(name)).toBe(api.headers.get(name));
    const { text } = await shown(address({ campaign: 'c1', level: 'ad_set' }));
    const href = /<a href="([^"]+)" download>/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect((await person.get(href)).text).toBe(file.text);
  });

  it('needs a session', async () => {
    expect((await visitor(app.url).get(address({}, '/ads/report.csv'))).status).toBe(401);
  });
});

describe('a session of the ads page', () => {
  it('begins and ends at any page; each page has a cookie of its own, which no other accepts', async () => {
    const other = visitor(app.url);
    const { headers } = await other.signIn(fixture.key);
    const cookies = headers.getSetCookie();
    expect(cookies).toEqual(
      ['deliveries', 'ads', 'stops'].map((use) =>
        expect.stringMatching(new RegExp(`^${use}_session=.*; Path=/${use}; HttpOnly; SameSite=Strict$`)),
      ),
    );
    const [ofDeliveries = '', ofAds = '', ofStops = ''] = cookies.map((cookie) => cookie.split(';')[0]);
    other.cookie = ofDeliveries.replace('deliveries_session', 'ads_session');
    expect((await other.get('/ads')).text).toContain('name="key"');
    other.cookie = ofStops;
    expect((await other.get('/stops')).text).toContain('Sign out');
    other.cookie = ofAds;
    const { text } = await other.get('/ads');
    const left = await other.post('/ads/logout', other.fieldsOf(text, '/ads/logout'));
    expect(left.headers.getSetCookie()).toHaveLength(3);
    other.cookie = ofDeliveries;
    expect((await other.get('/deliveries')).text).toContain('name="key"');
  });

  it('ends', async () => {
    const { encrypter } = app.app.services;
    const cookie = person.cookie.slice(person.cookie.indexOf('=') + 1);
    const session = openSession(encrypter, { use: 'ads', cookie, now: new Date() });
    await endPageSession(app.app.services, session?.id ?? '');
    expect((await person.get('/ads')).text).toContain('name="key"');
    expect((await person.get(address({}, '/ads/report.csv'))).status).toBe(401);
  });

  it('shows no account of another user', async () => {
    const { key } = await createUserFixture(app);
    const stranger = await signedIn(key);
    const { status, text } = await stranger.get(address());
    expect(status).toBe(404);
    expect(text).not.toContain('Main');
    expect((await stranger.get(address({}, '/ads/report.csv'))).status).toBe(404);
  });

  it('says what to do if no account is connected', async () => {
    const alone = await createUserFixture(app);
    await app.call('DELETE', `/v1/accounts/${alone.accountId}`, { key: alone.key });
    const { status, text } = await (await signedIn(alone.key)).get('/ads');
    expect(status).toBe(200);
    expect(textOf(text)).toContain('No account with ads is connected.');
    expect(await markupProblems(text)).toEqual([]);
  });
});
