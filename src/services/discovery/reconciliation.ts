import type { AccountDoc } from '../../models/account.ts';
import type { CampaignDiscoveryDoc } from '../../models/campaign-discovery.ts';
import type { Services } from '../context.ts';
import { heldBy } from '../durable/lease.ts';

type Of = Pick<Services, 'db' | 'clock'>;
type Owned = Pick<AccountDoc, '_id' | 'userId' | 'profileId'>;

/** A request that was sent has reached the platform after this time. */
const inFlightMs = 60_000;

const after = (at: Date, ms: number): Date => new Date(at.getTime() + ms);

/**
 * Requests a run because a record may differ from the platform, once no request can be on its way any more. One run serves all
 * requests of a minute.
 */
export async function requestReconciliation(
  { db, clock }: Of,
  { _id, userId, profileId }: Owned,
  unknownAt: Date = clock.now(),
): Promise<void> {
  const change = {
    $max: { unknownAt },
    $min: { reconcileAt: after(unknownAt, inFlightMs) },
    $unset: { reconcileTries: 1 },
    $set: { userId, profileId },
  };
  await db.campaignDiscoveries.updateOne({ _id }, change, { upsert: true, setDefaultsOnInsert: true });
}

/** For a change whose process died: its lease has run for as long as a request can be on its way. */
export const requestReconciliationNow = (services: Of, account: Owned): Promise<void> =>
  requestReconciliation(services, account, after(services.clock.now(), -inFlightMs));

interface EndedRun extends Pick<CampaignDiscoveryDoc, 'unknownAt' | 'reconcileTries'> {
  accountId: string;
  lease: { token: string };
  startedAt: Date;
}

/**
 * Requests another run unless this one has read what the platform has. A crash before the end of the run is recorded repeats
 * the run. A request that was made during the run stays as it is.
 */
export async function finishReconciliation({ db, clock }: Of, run: EndedRun, isRead: boolean): Promise<void> {
  const { accountId: _id, lease, unknownAt } = run;
  if (!unknownAt) return;
  await db.campaignDiscoveries.updateOne(
    { _id, ...heldBy(lease), unknownAt },
    afterRun(run, unknownAt, { isRead, now: clock.now() }),
  );
}

const firstRetryMs = 60_000;
const maxTries = 8;

function afterRun(
  { startedAt, reconcileTries: tries = 0 }: EndedRun,
  unknownAt: Date,
  { isRead, now }: { isRead: boolean; now: Date },
): object {
  const readableAt = after(unknownAt, inFlightMs);
  if (isRead && startedAt < readableAt) return { $min: { reconcileAt: readableAt }, $unset: { reconcileTries: 1 } };
  if (isRead || tries >= maxTries) return { $unset: { unknownAt: 1, reconcileAt: 1, reconcileTries: 1 } };
  // The platform that left an outcome unknown often cannot be read either: further runs follow, for about four hours.
  return { $min: { reconcileAt: after(now, firstRetryMs * 2 ** tries) }, $inc: { reconcileTries: 1 } };
}
