import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import type { AdFigureReadDoc } from '../../models/ad-figures.ts';
import type { ReportQuery, ReportRow } from '../../platforms/platform.ts';
import { collect } from '../../lib/collect.ts';
import { canonicalJson, sha256 } from '../../lib/hash.ts';
import { withAccess } from '../accounts/platform-access.ts';
import { figuresRead } from '../../telemetry/events.ts';
import type { Services } from '../context.ts';
import { storedDates } from '../stored-dates.ts';
import { ByteWriter } from './bytes.ts';
import type { VersionedTarget } from './coverage.ts';
import { daysFrom } from '../../lib/calendar-days.ts';
import { writeFigures } from './figure-code.ts';
import { daysUntilFinal } from './freshness.ts';
import type { Reading } from './read-live.ts';
import { bytesOfLevel, type Hold } from './report-memory.ts';
import { tooManyRows } from './row-limit.ts';
import type { FigureRow } from './row-table.ts';

/** Reach and breakdowns: the result of one request, kept for a short time. */
export interface Result {
  rows: FigureRow[];
  readAt: Date;
}

const { date } = storedDates('ad_figure_reads');
const [compress, expand] = [promisify(deflate), promisify(inflate)];
const [minute, hour] = [60_000, 3_600_000];
/** A document has at most 16 MB. */
const maxBytes = 12_000_000;

export const resultId = ({ accountId, version, timeZone }: VersionedTarget, query: ReportQuery): string => {
  const { adAccount, ...rest } = query;
  return `${accountId}:${sha256(canonicalJson({ ...rest, adAccountId: adAccount.id, version, timeZone }))}`;
};

export async function findResult(
  { db, clock }: Services,
  _id: string,
  { maxAgeSeconds = Number.POSITIVE_INFINITY, hold }: { maxAgeSeconds?: number; hold: Hold },
): Promise<Result | undefined> {
  const now = clock.now();
  const found = await db.adFigureReads.findOne({ _id }).lean();
  if (!found || found.expireAt <= now) return undefined;
  const ageMs = now.getTime() - date(found, 'readAt').getTime();
  if (ageMs >= Math.max(minute, maxAgeSeconds * 1000)) return undefined;
  await hold.take(bytesOfLevel);
  return { rows: await decodeResult(found.rows), readAt: date(found, 'readAt') };
}

/** Reads a result at the platform and stores it. Failures are PlatformErrors. */
export async function readResult(
  services: Services,
  { query, today, platform }: { query: ReportQuery; today: string; platform: VersionedTarget['platform'] },
  { id: _id, at, reading }: { id: string; at: Date; reading: Omit<Reading, 'nextRead'> },
): Promise<void> {
  const rows = await withAccess(services, reading.source.account, (access) => collect(reading.pages(access)));
  const encoded = await compress(encodeRows(rows));
  if (encoded.length > (services.reportLimits?.maxResultBytes ?? maxBytes))
    throw tooManyRows(query, `the platform returned ${rows.length} rows, more than can be kept`);
  const expireAt = new Date(at.getTime() + keptMs(query, today, platform));
  const set = { rows: encoded, readAt: at, expireAt };
  await services.db.adFigureReads.collection.updateOne({ _id: _id as never }, { $set: set }, { upsert: true });
  figuresRead.emit({ platform, rows: rows.length });
}

function keptMs({ toDate }: ReportQuery, today: string, platform: VersionedTarget['platform']): number {
  const age = daysFrom(toDate, today);
  if (age <= 0) return 15 * minute;
  return age > daysUntilFinal(platform) ? 24 * hour : hour;
}

const encodeRows = (rows: ReportRow[]): string => {
  const writer = new ByteWriter();
  return JSON.stringify(
    rows.map(({ figures, ...row }) => {
      writeFigures(writer, figures);
      return { ...row, figures: writer.take().toString('base64') };
    }),
  );
};

type EncodedRow = Omit<ReportRow, 'figures'> & { figures: string };

export async function decodeResult(stored: AdFigureReadDoc['rows']): Promise<FigureRow[]> {
  const text = (await expand(stored.value())).toString();
  return (JSON.parse(text) as EncodedRow[]).map(({ figures, ...row }) => {
    const bytes = Buffer.from(figures, 'base64');
    return { ...row, figures: { bytes, start: 0, end: bytes.length } };
  });
}
