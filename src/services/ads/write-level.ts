import type { ErrorCode } from '../../contract/error.ts';
import type { BudgetLevel, LevelChange } from '../../platforms/platform.ts';
import { callPlatform } from '../accounts/platform-access.ts';
import type { Ctx } from '../context.ts';
import type { LevelSubject } from './level-subject.ts';

export const notFound: Record<LevelSubject['kind'], ErrorCode> = {
  ad: 'ad_not_found',
  ad_set: 'ad_set_not_found',
  campaign: 'campaign_not_found',
};

/** Writes a change to the campaign or the ad set at the platform. */
export const writeLevel = (
  ctx: Ctx,
  { kind, target: { account, adapter }, ref }: LevelSubject,
  level: BudgetLevel,
  change: LevelChange,
): Promise<void> => {
  const { adSetId } = ref;
  if (level === 'ad_set' && adSetId === undefined) throw new Error('An ad set must be named to be changed');
  return callPlatform(
    ctx,
    account,
    (access) =>
      level === 'campaign' || adSetId === undefined
        ? adapter.updateCampaign(access, ref, change)
        : adapter.updateAdSet(access, { ...ref, adSetId }, change),
    notFound[kind],
  );
};
