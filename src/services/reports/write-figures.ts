import { isDuplicate } from '../../models/db.ts';
import { writeAll } from '../../models/driver.ts';
import { chunksOf } from '../../lib/chunks.ts';
import type { ReportRow } from '../../platforms/platform.ts';
import { figuresRead } from '../../telemetry/events.ts';
import type { Services } from '../context.ts';
import { LeaseLostError } from '../durable/lease.ts';
import { beginRead, endRead, type Coverage, type VersionedTarget } from './coverage.ts';
import { dayOfMonth, monthOf, type DayRange } from '../../lib/calendar-days.ts';
import { figuresId } from './figure-target.ts';
import { encodeDay, mergeDays, type KeepsDay } from './month-code.ts';
import { figuresExpireAt } from './retention.ts';

/** One complete read of a level. */
interface FigureRead {
  range: DayRange;
  /** Number of the read, greater than that of every earlier read of the ad account. */
  read: number;
  /** When it began. */
  at: Date;
}

/** Rows that are buffered before they are saved. */
const maxBufferedRows = 20_000;
const batchSize = 500;
const nothing = new Uint8Array();

interface Buffered {
  month: string;
  parents: Pick<ReportRow, 'campaignId' | 'adSetId'>;
  days: Map<number, Buffer>;
}

/**
 * Stores the rows of a read: first its figures, beside those of the earlier read, then the coverage, which makes them valid.
 * A read that fails has changed nothing that a report shows. Returns the number of rows.
 */
export async function storeFigures(
  services: Services,
  target: VersionedTarget,
  { range, read, at }: FigureRead,
  pages: AsyncIterable<ReportRow[]>,
): Promise<number> {
  const coverage = await beginRead(services, target, { range, read });
  let buffered = new Map<string, Buffered>();
  let [rows, unsaved] = [0, 0];
  const save = async (): Promise<void> => {
    const saved = buffered;
    [buffered, unsaved] = [new Map(), 0];
    await saveFigures(services, target, { read, coverage, buffered: saved });
  };
  for await (const page of pages) {
    for (const row of page) bufferRow(buffered, target, { row, read });
    rows += page.length;
    unsaved += page.length;
    if (unsaved >= maxBufferedRows) await save();
  }
  await save();
  await endRead(services, target, { range, read, at, coverage });
  figuresRead.emit({ platform: target.platform, rows });
  return rows;
}

function bufferRow(
  buffered: Map<string, Buffered>,
  target: VersionedTarget,
  { row: { platformId, campaignId, adSetId, date = '', figures }, read }: { row: ReportRow; read: number },
): void {
  const month = monthOf(date);
  const id = figuresId(target, month, platformId);
  let known = buffered.get(id);
  if (!known) buffered.set(id, (known = { month, parents: { campaignId, adSetId }, days: new Map() }));
  const day = Number(dayOfMonth(date));
  known.days.set(day, encodeDay(day, read, figures));
}

interface Unsaved {
  read: number;
  coverage: Coverage;
  buffered: Map<string, Buffered>;
}

async function saveFigures(
  { db }: Services,
  target: VersionedTarget,
  { read, coverage, buffered }: Unsaved,
): Promise<void> {
  for (const part of chunksOf([...buffered], batchSize)) {
    const found = await db.adFigures.find({ _id: { $in: part.map(([id]) => id) } }, { days: 1 }).lean();
    const stored = new Map(found.map(({ _id, days }) => [_id, days.value()]));
    const writes = part.map(([_id, { month, parents, days }]) => {
      const keeps = keptDays(coverage, { month, read });
      const merged = mergeDays(stored.get(_id) ?? nothing, days, read, keeps);
      const set = { ...parents, read, days: merged, expireAt: figuresExpireAt(db, target, month) };
      return { updateOne: { filter: { _id, read: { $lte: read } }, update: { $set: set }, upsert: true } };
    });
    await writeAll(db.adFigures, writes).catch(asLostLease);
  }
}

/** Keeps the valid days, and those that this read has saved already. */
function keptDays(coverage: Coverage, { month, read }: { month: string; read: number }): KeepsDay {
  const reads: (number | undefined)[] = [];
  for (const [day, covered] of Object.entries(coverage.get(month)?.days ?? {})) reads[Number(day)] = covered.read;
  return (day, ofRead) => ofRead === read || ofRead === reads[day];
}

/** A duplicate key means that a later read has written the document. */
function asLostLease(error: unknown): never {
  throw isDuplicate(error) ? new LeaseLostError('A later read of these figures has begun') : error;
}
