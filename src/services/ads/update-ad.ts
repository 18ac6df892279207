import type { UpdateAdPayload, UpdateAdInput } from '../../contract/ad-update.ts';
import type { Capability } from '../../contract/capability.ts';
import { invalidInput, type Problem } from '../../contract/error.ts';
import { platforms } from '../../contract/platforms.ts';
import type { AdChange } from '../../platforms/platform.ts';
import { callPlatform } from '../accounts/call-platform.ts';
import type { Ctx } from '../context.ts';
import { changeSettings, planSettings } from './change-settings.ts';
import { precisionOf } from './check-money.ts';
import { namingOf } from './order.ts';
import { steered, stored, type Steered } from './set-ad-status.ts';
import { withCampaignLock } from './campaign-lock.ts';

/**
 * Changes name, budget or end of an ad at the platform, then here. Repeating it changes nothing more. One change after the
 * other for all of a campaign, each recorded once it is made: the record never shows money that the platform does not have.
 */
export async function updateAd(ctx: Ctx, { adId, ...change }: UpdateAdInput): Promise<UpdateAdPayload> {
  const found = await steered(ctx, adId);
  requireValid(ctx, change, found);
  const { target, ref } = found;
  const { name } = change;
  const tell = (wanted: AdChange): Promise<void> =>
    callPlatform(ctx, target.account, (access) => target.adapter.updateAd(access, ref, wanted), 'ad_not_found');
  return withCampaignLock(ctx, { platform: target.adapter.platform, campaignId: ref.campaignId }, async () => {
    const terms = await planSettings(ctx, found, change);
    // The name goes first, because its rejection costs nothing.
    if (name) {
      const naming = namingOf(name, adId, target.adapter.maxNameLength);
      await tell({ name: naming.sent });
      await stored(ctx, adId, { name, naming });
    }
    if (terms) await changeSettings(ctx, found, { terms, tell });
    return { ad: await stored(ctx, adId, {}), message: 'Ad updated' };
  });
}

/** Validation without the platform, with the same rules as createAd. */
function requireValid(ctx: Ctx, change: Omit<UpdateAdInput, 'adId'>, { target, ref }: Steered): void {
  const { name, budgetAmount, endDate } = change;
  const { currency } = ref.adAccount;
  const problems: Problem[] = [];
  if (name === undefined && budgetAmount === undefined && endDate === undefined) {
    const message = 'is required: give at least one of name, budgetAmount, endDate';
    problems.push({ code: 'missing_required_field', path: 'name', message });
  }
  const factor = target.adapter.currencyFactor(currency);
  problems.push(...precisionOf('budgetAmount', budgetAmount ?? 0, { currency, factor }));
  if (endDate && new Date(endDate) <= ctx.clock.now()) {
    problems.push({ code: 'invalid_field_value', path: 'endDate', message: 'must be in the future' });
  }
  const { keepsEnd }: Capability = platforms[target.adapter.platform];
  if (endDate === null && keepsEnd !== undefined) {
    const message = `cannot be removed on platform ${target.adapter.platform}: ${keepsEnd}`;
    problems.push({ code: 'invalid_field_value', path: 'endDate', message });
  }
  if (problems.length > 0) throw invalidInput(problems);
}
