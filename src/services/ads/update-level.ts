import type {
  UpdateAdSetInput,
  UpdateAdSetPayload,
  UpdateCampaignInput,
  UpdateCampaignPayload,
} from '../../contract/level-update.ts';
import type { Warning } from '../../contract/common.ts';
import { AppError } from '../../contract/error.ts';
import { recordsOf, recordedTerms, type LevelSubject } from './level-subject.ts';
import { toAdSet, toCampaign } from '../campaigns/to-campaign.ts';
import type { Ctx } from '../context.ts';
import { withCampaignLock } from './campaign-lock.ts';
import { changeSettings, planSettings, spreadWarnings } from './change-settings.ts';
import { requireValidChange } from './check-change.ts';
import { withCurrency } from './currency.ts';
import { findLevel } from './find-level.ts';
import { planName, rename } from './rename-level.ts';
import { setLevelStatus } from './set-level-status.ts';

/** Changes name, budget, end or status of a campaign at the platform, then here. */
export async function updateCampaign(ctx: Ctx, input: UpdateCampaignInput): Promise<UpdateCampaignPayload> {
  const { platform, accountId, campaignId, ...change } = input;
  const subject = await findLevel(ctx, { platform, accountId, campaignId });
  const done = await update(ctx, subject, change);
  const doc = await ctx.db.campaigns
    .findOne({ _id: recordsOf(subject).campaignRef })
    .lean()
    .orFail();
  const [filled = doc] = await withCurrency(ctx, [doc]);
  return { campaign: toCampaign(filled), message: messageOf('Campaign', change), ...done };
}

/** The same for an ad set. */
export async function updateAdSet(ctx: Ctx, input: UpdateAdSetInput): Promise<UpdateAdSetPayload> {
  const { platform, accountId, adSetId, ...change } = input;
  const subject = await findLevel(ctx, { platform, accountId, adSetId });
  const done = await update(ctx, subject, change);
  const doc = await ctx.db.adSets
    .findOne({ _id: recordsOf(subject).adSetRef ?? '' })
    .lean()
    .orFail();
  const [filled = doc] = await withCurrency(ctx, [doc]);
  return { adSet: toAdSet(filled), message: messageOf('Ad set', change), ...done };
}

type Change = Omit<UpdateCampaignInput, 'platform' | 'accountId' | 'campaignId'>;

const messageOf = (what: string, { validateOnly }: Change): string =>
  validateOnly ? `Valid: the ${what.toLowerCase()} was not changed` : `${what} updated`;

/** Pauses first and activates last, so that nothing spends under half a change. Each step is recorded once it is made. */
async function update(ctx: Ctx, subject: LevelSubject, requested: Change): Promise<{ warnings?: Warning[] }> {
  const { adapter } = subject.target;
  const { startDate } = await recordedTerms(ctx, subject);
  const { input: change, warnings: moved } = requireValidChange(ctx, subject, {
    change: requested,
    startDate,
    fields: ['name', 'budgetAmount', 'endDate', 'status'],
  });
  const { campaignId } = subject.ref;
  const { name, status, validateOnly } = change;
  const naming = name === undefined ? undefined : await planName(ctx, subject, name);
  return withCampaignLock(ctx, { platform: adapter.platform, campaignId }, async () => {
    const settings = await planSettings(ctx, subject, change);
    const warnings = [...moved, ...(settings ? spreadWarnings(subject, settings) : [])];
    const done = warnings.length > 0 ? { warnings } : {};
    if (validateOnly) return done;
    await holdKey(async () => {
      if (status === 'PAUSED') await setLevelStatus(ctx, subject, status);
      if (naming) await rename(ctx, subject, naming);
      if (settings) await changeSettings(ctx, subject, settings);
      if (status === 'ACTIVE') await setLevelStatus(ctx, subject, status);
    });
    return done;
  });
}

/** Keeps the Idempotency-Key if the outcome is unknown: the repetition finds the budget that it may have set itself. */
const holdKey = (write: () => Promise<void>): Promise<void> =>
  write().catch((error: unknown) => {
    if (error instanceof AppError && error.status >= 500) Object.assign(error.extras, { holdsKey: true });
    throw error;
  });
