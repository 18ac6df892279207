import type { AdFigureSourceDoc } from '../../models/ad-figures.ts';
import type { Services } from '../context.ts';
import { storedDates } from '../stored-dates.ts';
import { isDuplicate } from '../../models/db.ts';
import { nextSlot } from '../discovery/schedule.ts';
import { acquire, extend, heldBy, LeaseLostError, withRenewal } from '../durable/lease.ts';
import { sourceId, type FigureTarget } from './figure-target.ts';
import { forgetFigures } from './forget-figures.ts';

const { dateOrNull } = storedDates('ad_figure_sources');
const leaseMs = 60_000;
const pollMs = 100;

interface Turn<T> {
  /** How long to wait while another read of the ad account runs. */
  waitMs: number;
  signal?: AbortSignal;
  /** Does the reading; `nextRead` returns a number greater than that of every earlier read. */
  run: (nextRead: () => Promise<number>) => Promise<T>;
}

/** Runs alone for an ad account across all processes; undefined if another read has not ended in time. */
export async function withSource<T>(
  services: Services,
  target: FigureTarget,
  { waitMs, signal, run }: Turn<T>,
): Promise<T | undefined> {
  const source = await acquireSource(services, sourceId(target), waitMs);
  if (!source?.lease) return undefined;
  const held = { _id: source._id, ...heldBy(source.lease) };
  const { db, clock } = services;
  const renew = (): Promise<boolean> => extend(db.adFigureSources, { now: clock.now(), leaseMs, held });
  try {
    return await withRenewal({ leaseMs, renew, log: services.log, signal }, () => run(() => nextRead(services, held)));
  } finally {
    const { matchedCount } = await db.adFigureSources.updateOne(held, { $set: { lease: null } });
    if (matchedCount === 0) await forgetIfDisconnected(services, target.accountId);
  }
}

async function acquireSource(services: Services, _id: string, waitMs: number): Promise<AdFigureSourceDoc | null> {
  const end = performance.now() + waitMs;
  for (;;) {
    const now = services.clock.now();
    const source = await acquire(services.db.adFigureSources, {
      now,
      leaseMs,
      filter: { _id },
    });
    if (source || performance.now() + pollMs > end) return source;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

async function nextRead({ db }: Services, held: object): Promise<number> {
  const source = await db.adFigureSources
    .findOneAndUpdate(held, { $inc: { read: 1 } }, { returnDocument: 'after' })
    .lean();
  if (!source) throw new LeaseLostError('Another process reads this ad account');
  return source.read;
}

/** Deletes what a read has stored while its account was being disconnected. */
async function forgetIfDisconnected({ db }: Services, accountId: string): Promise<void> {
  const account = await db.accounts.exists({ _id: accountId, disconnectedAt: null });
  if (!account) await forgetFigures(db, accountId);
}

/** The first number is the current time, so that no number is reused after an account is disconnected and connected again. */
const firstRead = (now: Date): number => Math.floor(now.getTime() / 1000);

/** How often recent days are read without a request. */
export const refreshEveryMs = 86_400_000;

/** At most how often a request for a level is recorded. */
const recordEveryMs = 3_600_000;

/** Records that a level was requested, so that its recent days are kept up to date. */
export async function recordRequest(services: Services, target: FigureTarget, userId: string): Promise<void> {
  const { db, clock } = services;
  const [now, _id] = [clock.now(), sourceId(target)];
  const { accountId, platform, adAccount, level, timeZone } = target;
  const known = await db.adFigureSources.findOne({ _id }, { askedAt: 1, timeZone: 1 }).lean();
  const last = (known && dateOrNull(known, `askedAt.${level}`, known.askedAt[level])?.getTime()) ?? 0;
  if (known?.timeZone === timeZone && now.getTime() - last < recordEveryMs) return;
  const own = { userId, accountId, platform, adAccountId: adAccount.id, read: firstRead(now), lease: null };
  const update = {
    $setOnInsert: own,
    $set: { [`askedAt.${level}`]: now, timeZone },
    $min: { refreshAt: nextSlot(_id, now, refreshEveryMs) },
  };
  // Another process may insert it at the same time.
  await db.adFigureSources.updateOne({ _id }, update, { upsert: true }).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
  });
}
