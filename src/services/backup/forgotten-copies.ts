import { AppError } from '../../contract/error.ts';
import type { DuplicationDoc } from '../../models/duplication.ts';
import { copyName } from '../../platforms/platform.ts';
import type { Ctx } from '../context.ts';
import { forgottenKey } from './forgotten-keys.ts';

type NewCopy = Pick<DuplicationDoc, 'accountId' | 'adPlatform' | 'adAccount' | 'sourceCampaignId' | 'options' | 'tree'>;

/**
 * Throws if the Idempotency-Key may have made this copy before the database was restored: a copy bears no mark of its key, so
 * any campaign of its name that the database learned of since may be it.
 */
export async function requireNoForgottenCopy(ctx: Ctx, copy: NewCopy): Promise<void> {
  const key = forgottenKey(ctx);
  if (!key) return;
  const { accountId, adPlatform, adAccount, sourceCampaignId, options, tree } = copy;
  if (!(await isReadSince(ctx, accountId, adAccount.id, key.restoredAt))) {
    throw new AppError(
      'temporarily_unavailable',
      'The database was restored from a backup, and the campaigns of this account have not been read since; retry the call',
      { retryAfterSeconds: 30 },
    );
  }
  const maxLength = ctx.platforms[adPlatform]?.maxNameLength ?? 255;
  const name = copyName(options, 'campaign', { name: tree.campaign.name, maxLength });
  const likely = await ctx.db.campaigns
    .findOne({
      accountId,
      createdAt: { $gte: key.since },
      platformAdAccountId: adAccount.id,
      name,
      isExternal: true,
      platformCampaignId: { $ne: sourceCampaignId },
    })
    .lean();
  if (!likely) return;
  throw new AppError(
    'idempotency_in_progress',
    `The database was restored from a backup, and campaign ${likely.platformCampaignId} may be the copy that this Idempotency-Key made before. ` +
      'If it is not, repeat the call without an Idempotency-Key.',
    { details: { campaignId: likely.platformCampaignId } },
  );
}

async function isReadSince({ db }: Ctx, accountId: string, adAccountId: string, restoredAt: Date): Promise<boolean> {
  const discovery = await db.campaignDiscoveries.findById(accountId, { state: 1, startedAt: 1, failures: 1 }).lean();
  if (discovery?.state !== 'completed' || !discovery.startedAt) return false;
  return (
    discovery.startedAt >= restoredAt && !discovery.failures.some((failure) => failure.adAccountId === adAccountId)
  );
}
