import { AdCreative } from '../../contract/ad-input-parts.ts';
import { AppError, type ErrorExtras } from '../../contract/error.ts';
import type { AdDoc, AdStep } from '../../models/ad.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { Services } from '../context.ts';
import { heldBy } from '../durable/lease.ts';
import { isDeferred } from '../encryption/deferring-encrypter.ts';
import { appErrorFromPlatform } from '../platform-error.ts';
import type { DurableJournal } from '../durable/step-journal.ts';
import type { OrderRun } from './order-lease.ts';
import { locateRejectedTargeting } from './locate-rejected-targeting.ts';
import { createdObjects, recordFailed, recordUnconfirmed } from './record-outcome.ts';

export interface Trouble {
  error: unknown;
  journal: DurableJournal;
}

/** Records how a run failed and answers the error for the caller, with what exists upstream by now. */
export async function recordFailure(services: Services, run: OrderRun, { error, journal }: Trouble): Promise<unknown> {
  const isLost = error instanceof AppError && error.code === 'idempotency_in_progress';
  if (isLost) return error;
  if (isDeferred(error)) return deferred(services, run, { error, journal });
  const index = indexOf(run, journal);
  const placed = run.head.order ? locateRejectedTargeting(error, run.head.order.input) : error;
  const known = placed instanceof PlatformError ? appErrorFromPlatform(prefixCreativePath(placed, index)) : placed;
  const details = detailsOf(run, journal);
  if (journal.isUncertain) {
    await recordUnconfirmed(services, run, journal.steps);
    return known instanceof AppError
      ? withDetails(withUnknownOutcomeHint(known, run.head), { details, holdsKey: true })
      : error;
  }
  const reason = known instanceof AppError ? known.message : 'Internal error';
  await recordFailed(services, run, { steps: journal.steps, reason });
  if (!(known instanceof AppError)) return error;
  // A rejected order that created nothing is finished; release its key so that a corrected request can reuse it.
  const isOver = known.status < 500 && known.status !== 429 && known.status !== 401 && !hasMade(journal);
  return withDetails(known, { details, holdsKey: !isOver });
}

/** Another process may have the missing key: an order of which nothing was sent is deleted, any other continues later. */
async function deferred(
  { db }: Services,
  run: OrderRun,
  { error, journal }: { error: AppError; journal: DurableJournal },
): Promise<AppError> {
  if (journal.steps.length > 0) {
    await journal.flush();
    return withDetails(error, { details: detailsOf(run, journal), holdsKey: true });
  }
  const held = { orderId: run.head.orderId, ...heldBy(run.lease) };
  const unset = { lease: 1, reconcileAt: 1 } as const;
  // A retried order that failed before stays failed.
  if (run.head.rejectionReason) await db.ads.updateMany(held, { $set: { status: 'error' }, $unset: unset });
  else await db.ads.deleteMany(held);
  return withDetails(error, { holdsKey: false });
}

const hasMade = ({ steps }: DurableJournal): boolean => steps.some(({ state }) => state === 'done');

const withUnknownOutcomeHint = (error: AppError, head: AdDoc): AppError => {
  const fate = `Ad ${head._id} may or may not exist on the platform; it will not be resent but reconciled automatically`;
  return new AppError(error.code, `${error.message}. ${fate}`, error.extras, { cause: error.cause });
};

const withDetails = (error: AppError, { details, holdsKey }: Pick<ErrorExtras, 'details' | 'holdsKey'>): AppError =>
  new AppError(
    error.code,
    error.message,
    { ...error.extras, details: { ...details, ...error.extras.details }, holdsKey },
    { cause: error.cause },
  );

/** The entry of `creatives` that failed; undefined for other shapes, and for steps that belong to all entries. */
const indexOf = ({ head }: OrderRun, { reached }: DurableJournal): number | undefined =>
  head.shape === 'multiCreative' ? creativeIndex(reached) : undefined;

/** Adapters report plain fields; prefix them with the caller's `creatives` index. */
function prefixCreativePath(error: PlatformError, index: number | undefined): PlatformError {
  const { fields } = error.upstream;
  if (index === undefined || !fields) return error;
  const placed = Object.entries(fields).map(([path, messages]) => {
    const isOwn = (path.split('.')[0] ?? '') in AdCreative.shape;
    return [isOwn ? `creatives.${index}.${path}` : path, messages];
  });
  const upstream = { ...error.upstream, fields: Object.fromEntries(placed) };
  return new PlatformError(error.platform, error.fault, error.message, upstream, { cause: error });
}

function detailsOf(run: OrderRun, journal: DurableJournal): Record<string, unknown> {
  const { ads } = run;
  const { steps } = journal;
  const ids = ads.map((ad) => ad._id);
  const index = indexOf(run, journal);
  return {
    adId: ids[index ?? 0],
    ...(ids.length > 1 && { adIds: ids }),
    ...(index !== undefined && { creativeIndex: index }),
    created: created(steps),
  };
}

/** `creative.3` and `ad.3` speak of the fourth entry, `campaign` of none. */
function creativeIndex(step: string | undefined): number | undefined {
  const digits = step?.match(/\.(\d+)$/)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function created(steps: AdStep[]): Record<string, unknown> {
  const { platformAdIds, ...parents } = createdObjects(steps);
  const adIds = Object.values(platformAdIds);
  return { ...parents, ...(adIds.length > 0 && { platformAdIds: adIds }) };
}
