import { AppError } from '../../contract/error.ts';
import { within } from '../../lib/timeout.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { Ctx } from '../context.ts';
import { LeaseLostError } from '../durable/lease.ts';
import { appErrorFromPlatform } from '../platform-error.ts';
import { logOutage } from '../unexpected-error.ts';
import type { FigureTarget } from './figure-target.ts';
import { withSource } from './source-lease.ts';

/** Why figures are missing or old. */
export interface Problem {
  reason: 'loading' | 'failed' | 'rate_limited';
  retryAfterSeconds?: number;
  /** For the caller, if nothing is stored. */
  error?: AppError;
  /** Days that a job has read. */
  progress?: { done: number; total: number };
}

/** How long a request waits for a platform; the read continues after that and is stored. */
const maxWaitMs = 8_000;
const retryAfterSeconds = 15;
const defaultLimitSeconds = 60;

/** A problem of the platform that passes; others are thrown. */
export function problemOf(error: unknown): Problem {
  if (error instanceof LeaseLostError) return { reason: 'loading', retryAfterSeconds: 1 };
  if (!(error instanceof PlatformError)) throw error;
  const { fault, upstream } = error;
  const asked = appErrorFromPlatform(error);
  if (fault === 'rate_limited')
    return {
      reason: 'rate_limited',
      retryAfterSeconds: upstream.retryAfterSeconds ?? defaultLimitSeconds,
      error: asked,
    };
  if (fault === 'auth_expired' || fault === 'unsupported' || upstream.missingScopes) throw asked;
  return { reason: 'failed', error: asked };
}

/**
 * Reads within the request as soon as no other process reads the ad account, unless `isDone` is true by then. Returns the
 * problem if the read has not finished.
 */
export async function readInTurn(
  ctx: Ctx,
  target: FigureTarget,
  { isDone, read }: { isDone: () => Promise<boolean>; read: (nextRead: () => Promise<number>) => Promise<void> },
): Promise<Problem | undefined> {
  const turn = withSource(ctx, target, {
    waitMs: maxWaitMs,
    run: async (nextRead): Promise<Problem | 'done'> => {
      if (await isDone()) return 'done';
      const excess = await takeQuota(ctx);
      if (excess) return excess;
      return read(nextRead).then(() => 'done' as const, problemOf);
    },
  });
  const outcome = await within(turn, ctx.platformWaitMs ?? maxWaitMs);
  if (outcome === 'done') return undefined;
  if (outcome) return outcome;
  turn.catch((error: unknown) => {
    if (!logOutage(ctx.log, error))
      ctx.log.warn({ accountId: target.accountId, err: error }, 'a read of figures failed');
  });
  return { reason: 'loading', retryAfterSeconds };
}

async function takeQuota(ctx: Ctx): Promise<Problem | undefined> {
  const reservation = await ctx.reserveFigureRead?.(ctx.caller.userId);
  if (!reservation || reservation.isReserved) return undefined;
  const seconds = Math.ceil(reservation.waitMs / 1000);
  const message = 'This user has used up the reads of platforms of this hour; stored figures are still returned';
  const error = new AppError('rate_limited', message, { retryAfterSeconds: seconds });
  return { reason: 'rate_limited', retryAfterSeconds: seconds, error };
}
