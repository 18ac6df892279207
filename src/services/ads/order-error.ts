import { AdCreativeInput } from '../../contract/ad-input-parts.ts';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import { AppError } from '../../contract/error.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { DurableJournal } from '../durable/step-journal.ts';
import { appErrorFromPlatform } from '../platform-error.ts';
import { locateRejectedTargeting } from './locate-rejected-targeting.ts';
import { createdObjects } from './record-outcome.ts';

interface Place {
  input?: CreateAdInput;
  /** The entry of `creatives` that failed; undefined for other shapes, and for steps that belong to all entries. */
  index?: number;
}

interface FailedOrder extends Place {
  journal: DurableJournal;
  /** The ids of its ads, the first one first. */
  adIds: string[];
}

/** The caller's error for a failed order, with what exists at the platform by now; undefined for an internal error. */
export function orderError(error: unknown, { journal, adIds, ...place }: FailedOrder): AppError | undefined {
  const placed = withCallersFields(error, place);
  const known = placed instanceof PlatformError ? appErrorFromPlatform(placed) : placed;
  if (!(known instanceof AppError)) return undefined;
  const { index } = place;
  const details = {
    adId: adIds[index ?? 0],
    ...(adIds.length > 1 && { adIds }),
    ...(index !== undefined && { creativeIndex: index }),
    created: createdIds(journal),
  };
  const hint = `Ad ${adIds[0]} may or may not exist on the platform; it will not be resent but reconciled automatically`;
  // A rejected order that created nothing is finished; its key is released so that a corrected request can reuse it.
  const isRejection = known.status < 500 && known.status !== 429 && known.status !== 401;
  const hasCreated = journal.steps.some(({ state }) => state === 'done');
  return new AppError(
    known.code,
    journal.isUncertain ? `${known.message}. ${hint}` : known.message,
    {
      ...known.extras,
      details: { ...details, ...known.extras.details },
      holdsKey: journal.isUncertain || !isRejection || hasCreated,
    },
    { cause: known.cause },
  );
}

/** Adapters report the fields of one ad; callers know them by their place in the request. */
export function withCallersFields(error: unknown, { input, index }: Place): unknown {
  if (!(error instanceof PlatformError)) return error;
  const fields = input ? locateRejectedTargeting(error, input) : error.upstream.fields;
  if (!fields || (index === undefined && fields === error.upstream.fields)) return error;
  const placed = Object.entries(fields).map(([path, messages]) => {
    const isOfCreative = index !== undefined && (path.split('.')[0] ?? '') in AdCreativeInput.shape;
    return [isOfCreative ? `creatives.${index}.${path}` : path, messages];
  });
  const upstream = { ...error.upstream, fields: Object.fromEntries(placed) };
  return new PlatformError(error.platform, error.fault, error.message, upstream, { cause: error });
}

function createdIds({ steps }: DurableJournal): Record<string, unknown> {
  const { platformAdIds, ...parents } = createdObjects(steps);
  const adIds = Object.values(platformAdIds);
  return { ...parents, ...(adIds.length > 0 && { platformAdIds: adIds }) };
}
