import { addDays } from '../../../src/lib/calendar-days.ts';
import type { FigureRequest } from '../../../src/services/reports/read-figures.ts';
import type { Ctx } from '../../../src/services/context.ts';
import { fixtureOf, goodAdOf, subjects } from '../../conformance/platforms.ts';
import type { TestApp } from '../../support/app.ts';
import type { UserFixture } from '../../support/user-fixture.ts';
import { readNamed, type NamedResult } from './figures.ts';

/** An ad on the sandbox of C that has spent every day for some months. */
export interface Delivering extends UserFixture {
  platformAdId: string;
  /** The day in UTC so many days ago. */
  day: (age: number) => string;
  ask: (extra?: Partial<FigureRequest>) => Promise<NamedResult>;
}

const subject = subjects.find(({ platform }) => platform === 'C')!;

export async function createDelivering(app: TestApp, days: number): Promise<Delivering> {
  const fixture = await fixtureOf(app, subject);
  const created = await app.call('POST', '/v1/ads/create', {
    key: fixture.key,
    body: goodAdOf(app, subject, fixture),
  });
  const { platformAdId } = created.body.ad;
  const today = new Date().toISOString().slice(0, 10);
  const day = (age: number): string => addDays(today, -age);
  // A first day that begins late may have too little spend for figures.
  const from = Date.parse(day(days));
  await fetch(`${app.sandbox.url}/control/${subject.simulated}/figures`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ adId: platformAdId, spans: [{ from, dailyBudget: 9_000_000 }] }),
  });
  const { services } = app.app;
  const account = await services.db.accounts.findOne({ _id: fixture.accountId }).lean().orFail();
  const adAccount = account.adAccounts.find(({ id }) => id === created.body.ad.platformAdAccountId)!;
  const caller = { userId: fixture.userId } as Ctx['caller'];
  const ctx: Ctx = { ...services, caller, requestId: 'r-1', source: 'rest' };
  return {
    ...fixture,
    platformAdId,
    day,
    ask: (extra) =>
      readNamed(ctx, {
        accountId: fixture.accountId,
        platform: 'C',
        adAccount,
        timeZone: 'UTC',
        level: 'ad',
        today,
        fromDate: day(days),
        toDate: day(1),
        granularity: 'day',
        breakdowns: [],
        withReach: false,
        ...extra,
      }),
  };
}
