import type {
  UpdateAdSetInput,
  UpdateAdSetPayload,
  UpdateCampaignInput,
  UpdateCampaignPayload,
} from '../../contract/level-update.ts';
import type { Warning } from '../../contract/common.ts';
import { AppError } from '../../contract/error.ts';
import { reachOf } from '../access.ts';
import { recordsOf, recordedTerms, type LevelSubject } from './level-subject.ts';
import { toAdSet, toCampaign } from '../campaigns/to-campaign.ts';
import type { Ctx } from '../context.ts';
import { requireWithinLimits, withinLimits } from '../budget-limits/within-limits.ts';
import { changingCampaign, plannedChange, requireWithinRecorded } from './budget-change.ts';
import { withCampaignLock } from './campaign-lock.ts';
import { recordingOutcome } from './open-changes.ts';
import { budgetWarnings, changeSettings, planSettings } from './change-settings.ts';
import { requireValidChange } from './check-change.ts';
import { withCurrency } from './currency.ts';
import { findLevel } from './find-level.ts';
import { planName, rename } from './rename-level.ts';
import { requireLive, requireNotRemoved } from '../removals/removed.ts';
import { requireNotStopped, requireEndedNotStopped } from '../stops/require-not-stopped.ts';
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
  const { campaignId, adSetId } = subject.ref;
  const { account, adapter } = subject.target;
  return withCampaignLock(ctx, { platform: adapter.platform, campaignId, account }, async () => {
    const placed = { accountId: account._id, campaignId, adSetId };
    await (requested.status === 'ACTIVE' ? requireNotRemoved : requireLive)(ctx, placed);
    if (requested.status === 'ACTIVE') await requireNotStopped(ctx, changingCampaign(subject));
    else if (requested.endDate !== undefined) await requireEndedNotStopped(ctx, changingCampaign(subject));
    const recorded = await recordedTerms(ctx, subject);
    const { input: change, warnings: moved } = requireValidChange(ctx, subject, {
      change: requested,
      startDate: recorded.startDate,
      fields: ['name', 'budgetAmount', 'endDate', 'status'],
    });
    const { name, status, validateOnly } = change;
    const naming = name === undefined ? undefined : await planName(ctx, subject, name);
    await requireWithinRecorded(ctx, subject, change, recorded);
    const settings = await planSettings(ctx, subject, { requested: change, recorded });
    const warnings = [...moved, ...(settings ? budgetWarnings(subject, settings) : [])];
    const act = (): Promise<void> =>
      holdKey(async (done) => {
        if (status === 'PAUSED') done.push(await made(setLevelStatus(ctx, subject, status, reachOf(ctx)), 'status'));
        if (naming) done.push(await made(rename(ctx, subject, naming), 'name'));
        if (settings) await changeSettings(ctx, subject, settings, done);
        if (status === 'ACTIVE') await setLevelStatus(ctx, subject, status, reachOf(ctx));
      });
    const campaign = changingCampaign(subject);
    const planned = plannedChange(subject, change, settings);
    const isMore = [planned.budget, planned.activates, planned.restarts].some((part) => part !== undefined);
    if (validateOnly && isMore) await requireWithinLimits(ctx, campaign, planned);
    if (validateOnly) return withWarnings(warnings);
    await recordingOutcome(ctx, changedBy(subject), () =>
      isMore ? withinLimits(ctx, campaign, { change: planned, act }) : act(),
    );
    return withWarnings(warnings);
  });
}

const withWarnings = (warnings: Warning[]) => (warnings.length > 0 ? { warnings } : {});

function changedBy(subject: LevelSubject) {
  const { campaignRef, adSetRef } = recordsOf(subject);
  const { kind, author, target, ref } = subject;
  const recordId = kind === 'campaign' ? campaignRef : (adSetRef ?? '');
  return { kind, recordId, author, account: target.account, campaignId: ref.campaignId };
}

const made = (write: Promise<void>, field: string): Promise<string> => write.then(() => field);

/**
 * Keeps the Idempotency-Key if the outcome is unknown or a part of the change is made: the repetition compares with the
 * budget that it may have set itself. The error names the part.
 */
async function holdKey(write: (done: string[]) => Promise<void>): Promise<void> {
  const done: string[] = [];
  try {
    await write(done);
  } catch (error) {
    if (error instanceof AppError && (error.status >= 500 || done.length > 0)) error.extras.holdsKey = true;
    if (error instanceof AppError && done.length > 0) error.extras.details = { ...error.extras.details, done };
    throw error;
  }
}
