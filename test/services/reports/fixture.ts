import { dayOf } from '../../../src/lib/account-time.ts';
import type { AdAccount } from '../../../src/platforms/platform.ts';
import { addDays } from '../../../src/lib/calendar-days.ts';
import { dueJobs } from '../../../src/services/reports/jobs/job-store.ts';
import { runFigureJob } from '../../../src/services/reports/jobs/run-job.ts';
import type { FigureRequest } from '../../../src/services/reports/read-figures.ts';
import type { AdFigureJobDoc } from '../../../src/models/ad-figures.ts';
import { createUserFixture, type FixtureOptions, type Store, type UserFixture } from '../ads/fixture.ts';
import { readNamed, type NamedResult } from './figures.ts';
import { reportPlatform, type ReportPlatform } from './report-platform.ts';

export const timeZone = 'Europe/Berlin';
export const adAccount: AdAccount = { id: 'act_1', name: 'Main', currency: 'USD', timezone: timeZone, isActive: true };

export interface ReportFixture extends UserFixture {
  platform: ReportPlatform;
  today: () => string;
  /** The day so many days ago. */
  day: (age: number) => string;
  /** Asks for campaigns by day; by default for the last seven days with today. */
  ask: (extra?: Partial<FigureRequest>) => Promise<NamedResult>;
  request: (extra?: Partial<FigureRequest>) => FigureRequest;
  /** Impressions by object and day. */
  impressions: (extra?: Partial<FigureRequest>) => Promise<Record<string, number>>;
  /** Runs due jobs until none is due; returns how many runs there were. */
  work: () => Promise<number>;
  jobs: () => Promise<AdFigureJobDoc[]>;
}

export async function createReportFixture(store: Store, options?: FixtureOptions): Promise<ReportFixture> {
  const fixture = await createUserFixture(store, options);
  const { ctx, fake, account } = fixture;
  const platform = reportPlatform();
  fake.adapter = Object.assign(fake.adapter, { reports: platform.adapter });
  await ctx.db.accounts.updateOne({ _id: account._id }, { $set: { adAccounts: [adAccount] } });
  const today = (): string => dayOf(ctx.clock.now(), timeZone);
  const day = (age: number): string => addDays(today(), -age);
  const request: ReportFixture['request'] = (extra) => ({
    accountId: account._id,
    platform: 'A',
    adAccount,
    timeZone,
    level: 'campaign',
    today: today(),
    fromDate: day(6),
    toDate: day(0),
    granularity: 'day',
    breakdowns: [],
    withReach: false,
    ...extra,
  });
  const ask: ReportFixture['ask'] = (extra) => readNamed(ctx, request(extra));
  return {
    ...fixture,
    platform,
    today,
    day,
    request,
    ask,
    impressions: async (extra) => {
      const { rows } = await ask(extra);
      const named = rows.map(({ platformId, date, figures }): [string, number] => [
        date === undefined ? platformId : `${platformId} ${date}`,
        Number(figures.impressions),
      ]);
      return Object.fromEntries(named.toSorted(([a], [b]) => (a < b ? -1 : 1)));
    },
    work: async () => {
      for (let runs = 0; ; runs += 1) {
        const due = (await dueJobs(ctx)).filter(({ _id }) => _id.startsWith(account._id));
        if (due.length === 0) return runs;
        for (const { _id } of due) await runFigureJob(ctx, _id);
      }
    },
    jobs: () => ctx.db.adFigureJobs.find({ accountId: account._id }).lean(),
  };
}

/** Something that a test lets happen. */
export function createBarrier(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}
