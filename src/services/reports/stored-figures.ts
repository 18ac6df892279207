import { setImmediate as afterIo } from 'node:timers/promises';
import type { AdFiguresDoc } from '../../models/ad-figures.ts';
import type { ReportQuery } from '../../platforms/platform.ts';
import type { Services } from '../context.ts';
import { readCoverage, type Coverage, type VersionedTarget } from './coverage.ts';
import { monthsOf } from '../../lib/calendar-days.ts';
import { figuresId, idsUnder, levelId, monthId } from './figure-target.ts';
import { eachDay, type KeepsDay } from './month-code.ts';
import { addTo } from './add-figures.ts';
import type { Amounts } from './amounts.ts';
import { decodeFigures, noAmounts } from './figure-code.ts';
import { bytesOfLevel, bytesPerMonth, type Hold } from './report-memory.ts';
import { requireRowLimit } from './row-limit.ts';
import { RowTable } from './row-table.ts';

type Query = Pick<ReportQuery, 'fromDate' | 'toDate' | 'granularity' | 'within'>;

interface StoredFigures {
  rows: RowTable;
  /** The coverage that the rows were read with. */
  coverage: Coverage;
  /** Some objects have no stored parent, so they cannot be selected by it. */
  lacksParents: boolean;
}

const maxAttempts = 5;
/** The driver keeps several objects for each document of a response until all of them have been taken. */
const documentsAtOnce = 500;

interface ReadOptions {
  given?: Coverage;
  hold: Hold;
}

/** Reads the stored figures of a range. Days that are not covered are left out. */
export async function readStored(
  services: Services,
  target: VersionedTarget,
  query: Query,
  { given, hold }: ReadOptions,
): Promise<StoredFigures> {
  for (let attempt = 1; ; attempt++) {
    const coverage = (attempt === 1 && given) || (await readCoverage(services, target, query));
    const months = monthsOf(query.fromDate, query.toDate).filter((month) => isCovered(coverage, month));
    if (months.length === 0) return { coverage, rows: new RowTable(), lacksParents: false };
    await hold.take(bytesOf(target, query, months));
    const found = await readMonths(services, target, { months, coverage, query });
    if (found) return { coverage, ...found };
    if (attempt === maxAttempts)
      throw new Error(`The figures of ${levelId(target)} were replaced during ${attempt} attempts`);
  }
}

function bytesOf({ level }: VersionedTarget, { within }: Query, months: string[]): number {
  if (level === 'account') return months.length * bytesPerMonth;
  return within?.level === level ? within.ids.length * months.length * bytesPerMonth : bytesOfLevel;
}

interface Months {
  months: string[];
  coverage: Coverage;
  query: Query;
}

/** Undefined if a read that has begun since may have replaced days that the coverage names. */
async function readMonths(
  services: Services,
  target: VersionedTarget,
  { months, coverage, query }: Months,
): Promise<Omit<StoredFigures, 'coverage'> | undefined> {
  const known = new Map(months.map((month) => [month, coverage.get(month)?.read ?? 0]));
  const collector = createCollector(target, query, coverage);
  for await (const found of findFigures(services, target, { months, ...query })) {
    if (found.some(({ _id, read }) => read > (known.get(monthIn(target, _id)) ?? read))) return undefined;
    collector.add(found);
    requireRowLimit(
      services.reportLimits,
      { level: target.level, granularity: query.granularity },
      collector.rows.length,
    );
  }
  return { rows: collector.rows, lacksParents: collector.lacksParents() };
}

const isCovered = (coverage: Coverage, month: string): boolean =>
  Object.keys(coverage.get(month)?.days ?? {}).length > 0;

const monthIn = (target: VersionedTarget, id: string): string => id.slice(monthId(target, '').length).slice(0, 7);

/** The documents of the months in the order of their ids. */
async function* findFigures(
  { db }: Services,
  target: VersionedTarget,
  { months, within }: Query & { months: string[] },
): AsyncGenerator<AdFiguresDoc[]> {
  if (within?.level === target.level) {
    const ids = months.flatMap((month) => within.ids.map((id) => figuresId(target, month, id)));
    yield await db.adFigures.find({ _id: { $in: ids } }).lean();
    return;
  }
  const { $gte } = idsUnder(monthId(target, months[0] ?? ''));
  const { $lt } = idsUnder(monthId(target, months.at(-1) ?? ''));
  const find = async (from: object): Promise<AdFiguresDoc[]> =>
    db.adFigures
      .find({ _id: { ...from, $lt } })
      .sort({ _id: 1 })
      .limit(documentsAtOnce)
      .batchSize(documentsAtOnce)
      .lean();
  for (let next: Promise<AdFiguresDoc[]> | undefined = find({ $gte }); next;) {
    const found: AdFiguresDoc[] = await next;
    const last = found.length < documentsAtOnce ? undefined : found.at(-1);
    next = last && find({ $gt: last._id });
    // A rejection is thrown when `next` is awaited; without this handler it would count as unhandled until then.
    next?.catch(() => undefined);
    // The database finds the next documents while these are decoded, and other requests have their turn.
    await afterIo();
    yield found;
  }
}

interface Collector {
  rows: RowTable;
  lacksParents: () => boolean;
  add: (found: AdFiguresDoc[]) => void;
}

/** Turns documents into rows: one for each day, or one sum for each object. */
function createCollector(target: VersionedTarget, query: Query, coverage: Coverage): Collector {
  const rows = new RowTable();
  const totals = new Map<string, Amounts>();
  const scratch = noAmounts();
  const parent = parentOf(target, query);
  const months = new Map(
    [...coverage.keys()].map((month) => [month, visibleDays(coverage, rows, { month, ...query })]),
  );
  const isDaily = query.granularity === 'day';
  let lacksParents = false;
  const add = ({ _id, days, campaignId, adSetId }: AdFiguresDoc): void => {
    const parentId = parent && { campaignId, adSetId }[parent.field];
    lacksParents ||= parent !== undefined && parentId === undefined;
    if (parent && !parent.ids.has(parentId ?? '')) return;
    const month = monthIn(target, _id);
    const { keeps = never, dates = [] } = months.get(month) ?? {};
    const platformId = _id.slice(monthId(target, month).length + 1);
    const object = { platformId, campaignId, adSetId };
    const bytes = days.value();
    if (isDaily) {
      const from = rows.copy(bytes);
      let number: number | undefined;
      eachDay(bytes, keeps, (day, start, end) => {
        number ??= rows.objectNumber(object);
        rows.add(number, dates[day] ?? 0, from + start, from + end);
      });
      return;
    }
    let total = totals.get(platformId);
    eachDay(bytes, keeps, (_day, start, end) => {
      if (total) addTo(total, decodeFigures(bytes, start, end, scratch));
      else {
        totals.set(platformId, (total = decodeFigures(bytes, start, end, noAmounts())));
        rows.add(rows.objectNumber(object), rows.dateNumber(null), rows.keep(total));
      }
    });
  };
  return {
    rows,
    lacksParents: () => lacksParents,
    add(found) {
      if (isDaily) rows.reserve(found.reduce((sum, { days }) => sum + days.length(), 0));
      found.forEach(add);
    },
  };
}

const never: KeepsDay = () => false;

/** The member that must be one of the requested ids, if objects are selected by a parent. */
function parentOf(
  { level }: VersionedTarget,
  { within }: Query,
): { field: 'campaignId' | 'adSetId'; ids: ReadonlySet<string> } | undefined {
  if (!within || within.level === level) return undefined;
  return { field: within.level === 'campaign' ? 'campaignId' : 'adSetId', ids: new Set(within.ids) };
}

interface VisibleDays {
  keeps: KeepsDay;
  /** The numbers of the dates, by day of the month. */
  dates: number[];
}

/** The days of the range in the version that the coverage names. */
function visibleDays(
  coverage: Coverage,
  rows: RowTable,
  { month, fromDate, toDate }: Query & { month: string },
): VisibleDays {
  const reads: (number | undefined)[] = [];
  const dates: number[] = [];
  for (const [day, { read }] of Object.entries(coverage.get(month)?.days ?? {})) {
    const date = `${month}-${day}`;
    if (date < fromDate || date > toDate) continue;
    reads[Number(day)] = read;
    dates[Number(day)] = rows.dateNumber(date);
  }
  return { keeps: (day, read) => reads[day] === read, dates };
}
