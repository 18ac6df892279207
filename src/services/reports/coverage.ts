import { isDuplicate } from '../../models/db.ts';
import type { AdFigureCoverageDoc, CoveredDay } from '../../models/ad-figures.ts';
import type { AdAccount } from '../../platforms/platform.ts';
import type { Services } from '../context.ts';
import { storedDates } from '../stored-dates.ts';
import { LeaseLostError } from '../durable/lease.ts';
import { dayOfMonth, daysOf, monthOf, monthsOf, type DayRange } from '../../lib/calendar-days.ts';
import { monthId, type FigureTarget } from './figure-target.ts';
import { coverageExpireAt } from './retention.ts';

const { date } = storedDates('ad_figure_coverage');

/** The covered days by day of the month, `01` to `31`. */
type CoveredDays = Record<string, CoveredDay>;

interface CoveredMonth {
  /** The number of the latest read that has begun. */
  read: number;
  days: CoveredDays;
}

/** Which days of a level were read completely, by month. */
export type Coverage = Map<string, CoveredMonth>;

/** A level of an ad account, with what makes its stored figures invalid when it changes. */
export interface VersionedTarget extends FigureTarget {
  adAccount: AdAccount;
  /** `ReportAdapter.version`. */
  version: number;
}

/** Days of another version, time zone or currency count as not read. */
function validDays(target: VersionedTarget, doc: AdFigureCoverageDoc): CoveredDays {
  const { version, timeZone, currency, days } = doc;
  const isValid = version === target.version && timeZone === target.timeZone && currency === target.adAccount.currency;
  if (!isValid) return {};
  const entries = Object.entries(days).map(([day, { read, at }]) => [
    day,
    { read, at: date(doc, `days.${day}.at`, at) },
  ]);
  return Object.fromEntries(entries) as CoveredDays;
}

export async function readCoverage(
  { db }: Pick<Services, 'db'>,
  target: VersionedTarget,
  { fromDate, toDate }: DayRange,
): Promise<Coverage> {
  const months = monthsOf(fromDate, toDate);
  const ids = months.map((month) => monthId(target, month));
  const found = await db.adFigureCoverage.find({ _id: { $in: ids } }).lean();
  const byId = new Map(found.map((doc) => [doc._id, doc]));
  return new Map(
    months.map((month) => {
      const doc = byId.get(monthId(target, month));
      return [month, { read: doc?.read ?? 0, days: doc ? validDays(target, doc) : {} }];
    }),
  );
}

export const coveredDay = (coverage: Coverage, date: string): CoveredDay | undefined =>
  coverage.get(monthOf(date))?.days[dayOfMonth(date)];

/**
 * Begins a read: from now on no earlier read can add days to these months. Returns the days that are covered now, whose
 * figures this read must keep.
 */
export async function beginRead(
  services: Services,
  target: VersionedTarget,
  { range, read }: { range: DayRange; read: number },
): Promise<Coverage> {
  const coverage: Coverage = new Map();
  for (const month of monthsOf(range.fromDate, range.toDate)) {
    const doc = await beginMonth(services, target, { month, read });
    if (doc.read !== read) throw new LeaseLostError('A later read of these figures has begun');
    coverage.set(month, { read, days: validDays(target, doc) });
  }
  return coverage;
}

async function beginMonth(
  { db }: Services,
  target: VersionedTarget,
  { month, read }: { month: string; read: number },
): Promise<AdFigureCoverageDoc> {
  const { version, timeZone, adAccount } = target;
  const fresh = {
    version,
    timeZone,
    currency: adAccount.currency,
    days: {},
    expireAt: coverageExpireAt(db, target, month),
  };
  const begin = () =>
    db.adFigureCoverage
      .findOneAndUpdate(
        { _id: monthId(target, month) },
        { $max: { read }, $setOnInsert: fresh },
        { upsert: true, returnDocument: 'after' },
      )
      .lean()
      .orFail();
  return begin().catch((error: unknown) => {
    // Another process created it at the same time.
    if (isDuplicate(error)) return begin();
    throw error;
  });
}

/** Ends a read: from now on its figures are the valid ones of these days, month by month. */
export async function endRead(
  { db }: Services,
  target: VersionedTarget,
  { range, read, at, coverage }: { range: DayRange; read: number; at: Date; coverage: Coverage },
): Promise<void> {
  const { version, timeZone, adAccount } = target;
  for (const [month, { days }] of coverage) {
    const dates = daysOf(range.fromDate, range.toDate).filter((date) => monthOf(date) === month);
    const added = Object.fromEntries(dates.map((date) => [dayOfMonth(date), { read, at }]));
    const { matchedCount } = await db.adFigureCoverage.updateOne(
      { _id: monthId(target, month), read },
      {
        $set: {
          version,
          timeZone,
          currency: adAccount.currency,
          days: { ...days, ...added },
          expireAt: coverageExpireAt(db, target, month),
        },
      },
    );
    if (matchedCount === 0) throw new LeaseLostError('A later read of these figures has begun');
  }
}
