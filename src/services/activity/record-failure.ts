import { AppError } from '../../contract/error.ts';
import type { Author } from '../../models/activity.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { Collection } from '../../models/db.ts';
import type { SentStep } from '../../models/sent-step.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { Kind, Records } from '../campaigns/updated-event.ts';
import type { Services } from '../context.ts';
import { objectOf } from './level-activity.ts';
import { newActivity } from './new-activity.ts';
import { takeSteps } from './sent-steps.ts';

export interface Changed {
  kind: Kind;
  /** The id of the record of the object. */
  recordId: string;
  author: Author | undefined;
}

/** Runs a change at a platform. If it fails after something was sent, the activity trail has what was sent. */
export async function recordingFailure<T>(services: Services, changed: Changed, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    const steps = takeSteps();
    if (steps.length > 0)
      await recordFailure(services, changed, { steps: steps.map(endedBy(error)) }).catch((fault: unknown) =>
        services.log.warn(
          { err: fault, recordId: changed.recordId },
          'a failed change is missing in the activity trail',
        ),
      );
    throw error;
  }
}

/** The entry of a change that is given up, with what was sent last. `once` makes the entry of a repetition the same one. */
export const recordGivenUp = (services: Services, changed: Changed, once: string, error?: unknown): Promise<void> =>
  recordFailure(services, changed, { steps: takeSteps().map(endedBy(error)), once });

export function endedBy(error: unknown): (step: SentStep) => SentStep {
  const cause = error instanceof AppError ? error.cause : error;
  const { fault, upstream } = cause instanceof PlatformError ? cause : {};
  const state = fault === undefined || fault === 'unknown_outcome' ? 'unknown' : 'refused';
  return (step) => ({ ...step, state, ...(upstream?.code !== undefined && { errorCode: String(upstream.code) }) });
}

/** Writes the entry of a failed change. `once` makes the entry of a repetition the same one. */
export async function recordFailure(
  services: Services,
  { kind, recordId: _id, author }: Changed,
  { steps, once }: { steps: SentStep[]; once?: string },
): Promise<void> {
  const { ads, adSets, campaigns } = services.db;
  const collection = { ad: ads, ad_set: adSets, campaign: campaigns }[kind] as unknown as Collection<AdDoc>;
  const doc = await collection.findOne({ _id }, { order: 0, steps: 0, pendingEvents: 0 }).lean();
  if (!doc || !author) return;
  const action = `${kind}.change_failed` as const;
  const owner = objectOf(kind, doc as Records[Kind]);
  const entry = newActivity({ action, author, ...owner, changes: [], steps }, { at: services.clock.now(), once });
  await collection.updateOne(
    { _id, 'pendingEvents.eventId': { $ne: entry.eventId } },
    { $push: { pendingEvents: entry } },
    { timestamps: false },
  );
  services.wakeRelay();
}
