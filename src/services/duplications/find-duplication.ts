import type { CampaignDuplicationResult, DuplicationInput } from '../../contract/duplication.ts';
import { AppError } from '../../contract/error.ts';
import type { DuplicationDoc } from '../../models/duplication.ts';
import { reachOf } from '../access.ts';
import type { Ctx } from '../context.ts';
import { toDuplication } from './to-duplication.ts';

/** A duplication that the key reaches. Unknown and out of reach look the same. */
export async function requireDuplication(ctx: Ctx, { duplicationId }: DuplicationInput): Promise<DuplicationDoc> {
  const doc = await ctx.db.duplications.findOne({ _id: duplicationId, ...reachOf(ctx) }).lean();
  if (doc) return doc;
  throw new AppError('job_not_found', `There is no duplication ${duplicationId} that this key reaches`, {
    param: 'duplicationId',
  });
}

/** How far a duplication is, with all that it has made. */
export async function findDuplication(ctx: Ctx, input: DuplicationInput): Promise<CampaignDuplicationResult> {
  const doc = await requireDuplication(ctx, input);
  const steps = await ctx.db.duplicationSteps.find({ duplicationId: doc._id }).sort({ startedAt: 1 }).lean();
  return { duplication: toDuplication(doc, steps) };
}
