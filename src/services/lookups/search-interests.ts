import type { InterestsInput, InterestsResult } from '../../contract/lookup.ts';
import { AppError } from '../../contract/error.ts';
import { callPlatform } from '../accounts/platform-access.ts';
import type { Ctx } from '../context.ts';
import { lookUpAdAccount, lookUpTarget } from './lookup-target.ts';

/** Searches interests that the account's platform can target. */
export async function searchInterests(
  ctx: Ctx,
  { accountId, adAccountId, q, limit }: InterestsInput,
): Promise<InterestsResult> {
  const target = await lookUpTarget(ctx, accountId);
  const { account, adapter } = target;
  const adAccount = await lookUpAdAccount(ctx, target, adAccountId);
  const search = adapter.searchInterests;
  if (!search) {
    const message = `Platform ${adapter.platform} does not target by interests`;
    throw new AppError('unsupported_platform_operation', message, { platform: adapter.platform });
  }
  const found = await callPlatform(ctx, account, (access) => search(access, { q, limit, adAccount }));
  return {
    interests: found.map(({ id, name, audienceSizeMin, audienceSizeMax, path }) => ({
      id,
      name,
      audienceSizeMin: audienceSizeMin ?? null,
      audienceSizeMax: audienceSizeMax ?? null,
      path: path ?? null,
    })),
  };
}
