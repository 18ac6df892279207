import type { UpdateAdPayload, UpdateAdInput } from '../../contract/ad-update.ts';
import type { BudgetLevel, Capability } from '../../contract/capability.ts';
import { invalidInput, type Problem } from '../../contract/error.ts';
import { platforms } from '../../contract/platforms.ts';
import type { LevelChange } from '../../platforms/platform.ts';
import { callPlatform } from '../accounts/call-platform.ts';
import type { Ctx } from '../context.ts';
import { changeSettings, planSettings, spreadWarnings } from './change-settings.ts';
import { precisionOf } from './check-money.ts';
import { namingOf } from './order.ts';
import { loadSubject, stored, type UpdateSubject } from './set-ad-status.ts';
import { endProblem, withSupportedEnd } from './supported-end.ts';
import { withCampaignLock } from './campaign-lock.ts';

/**
 * Changes name, budget or end of an ad at the platform, then here. Repeating it changes nothing more. One change after the
 * other for all of a campaign, each recorded once it is made: the record never shows money that the platform does not have.
 */
export async function updateAd(ctx: Ctx, { adId, ...requested }: UpdateAdInput): Promise<UpdateAdPayload> {
  const found = await loadSubject(ctx, adId);
  requireValid(ctx, requested, found);
  const { target, ref } = found;
  const { input: change, warnings: moved } = withSupportedEnd(requested, endingOf(ctx, found));
  const { name } = change;
  const { adapter } = target;
  const write = (level: BudgetLevel, part: LevelChange): Promise<void> =>
    callPlatform(
      ctx,
      target.account,
      (access) =>
        level === 'campaign' ? adapter.updateCampaign(access, ref, part) : adapter.updateAdSet(access, ref, part),
      'ad_not_found',
    );
  return withCampaignLock(ctx, { platform: target.adapter.platform, campaignId: ref.campaignId }, async () => {
    const settings = await planSettings(ctx, found, change);
    // The name goes first, because its rejection costs nothing.
    if (name) {
      const naming = namingOf(name, adId, target.adapter.maxNameLength);
      await callPlatform(ctx, target.account, (access) => adapter.renameAd(access, ref, naming.sent), 'ad_not_found');
      await stored(ctx, adId, { name, naming });
    }
    if (settings) await changeSettings(ctx, found, { settings, write });
    const warnings = [...moved, ...(settings ? spreadWarnings(found, settings) : [])];
    return { ad: await stored(ctx, adId, {}), message: 'Ad updated', ...(warnings.length > 0 && { warnings }) };
  });
}

const endingOf = ({ clock }: Ctx, { target: { adapter }, ref: { adAccount } }: UpdateSubject) => ({
  supportedEnd: adapter.supportedEnd,
  adAccount,
  now: clock.now(),
});

/** Validation without the platform, with the same rules as createAd. */
function requireValid(ctx: Ctx, change: Omit<UpdateAdInput, 'adId'>, found: UpdateSubject): void {
  const { ad, target, ref } = found;
  const { name, budgetAmount, endDate } = change;
  const { currency } = ref.adAccount;
  const problems: Problem[] = [];
  if (name === undefined && budgetAmount === undefined && endDate === undefined) {
    const message = 'is required: give at least one of name, budgetAmount, endDate';
    problems.push({ code: 'missing_required_field', path: 'name', message });
  }
  const factor = target.adapter.currencyFactor(currency);
  problems.push(...precisionOf('budgetAmount', budgetAmount ?? 0, { currency, factor }));
  const { startDate } = ad.settings;
  const start = startDate === undefined ? undefined : new Date(startDate);
  const tooEarly = endDate && endProblem(endDate, { ...endingOf(ctx, found), start });
  if (tooEarly) problems.push({ code: 'invalid_field_value', path: 'endDate', message: tooEarly });
  const { keepsEnd }: Capability = platforms[target.adapter.platform];
  if (endDate === null && keepsEnd !== undefined) {
    const message = `cannot be removed on platform ${target.adapter.platform}: ${keepsEnd}`;
    problems.push({ code: 'invalid_field_value', path: 'endDate', message });
  }
  if (problems.length > 0) throw invalidInput(problems);
}
