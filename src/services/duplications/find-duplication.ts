import type { CampaignDuplicationResult, DuplicationInput } from '../../contract/duplication.ts';
import { AppError } from '../../contract/error.ts';
import type { DuplicationDoc } from '../../models/duplication.ts';
import { reachOf } from '../access.ts';
import type { Ctx } from '../context.ts';
import { stepsOf } from './find-steps.ts';
import { toDuplication } from './to-duplication.ts';

/** Returns a duplication that the key can access; the error is the same for an unknown and an inaccessible one. */
export async function requireDuplication(ctx: Ctx, { duplicationId }: DuplicationInput): Promise<DuplicationDoc> {
  const doc = await ctx.db.duplications.findOne({ _id: duplicationId, ...reachOf(ctx) }).lean();
  if (doc) return doc;
  throw new AppError('job_not_found', `There is no duplication ${duplicationId} that this API key can access`, {
    param: 'duplicationId',
  });
}

/** How far a duplication is, with all that it has made. */
export async function findDuplication(ctx: Ctx, input: DuplicationInput): Promise<CampaignDuplicationResult> {
  const doc = await requireDuplication(ctx, input);
  return { duplication: toDuplication(doc, await stepsOf(ctx, doc)) };
}
