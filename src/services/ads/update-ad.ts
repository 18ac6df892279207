import type { UpdateAdPayload, UpdateAdInput } from '../../contract/ad-update.ts';
import type { Warning } from '../../contract/common.ts';
import { withinLimits } from '../budget-limits/within-limits.ts';
import { authorOf } from '../activity/author.ts';
import { callPlatform } from '../accounts/platform-access.ts';
import { setValues } from '../campaigns/set-values.ts';
import type { Ctx } from '../context.ts';
import { changingCampaign, plannedChange, requireWithinRecorded } from './budget-change.ts';
import { withCampaignLock } from './campaign-lock.ts';
import { recordingOutcome } from './open-changes.ts';
import { budgetWarnings, changeSettings, planSettings } from './change-settings.ts';
import { requireValidChange } from './check-change.ts';
import { recordedTerms, type LevelSubject } from './level-subject.ts';
import { namingOf } from './order.ts';
import { requireLive } from '../removals/removed.ts';
import { recordName } from './rename-level.ts';
import { requireEndedNotStopped } from '../stops/require-not-stopped.ts';
import { loadSubject, stored, type UpdateSubject } from './set-ad-status.ts';
import { requireUrlParameters, setUrlParameters } from './set-url-parameters.ts';

/**
 * Changes name, URL parameters, budget or end of an ad at the platform, then here. Repeating it changes nothing more. One change after the
 * other for all of a campaign, each recorded once it is made: the record never shows money that the platform does not have.
 */
export async function updateAd(ctx: Ctx, { adId, ...requested }: UpdateAdInput): Promise<UpdateAdPayload> {
  const loaded = await loadSubject(ctx, adId);
  const { ad, target, ref } = loaded;
  const { adapter, account } = target;
  if (requested.urlParameters) requireUrlParameters(adapter);
  const subject: LevelSubject = { kind: 'ad', target, ref, ad, author: authorOf(ctx) };
  const { input: change, warnings: moved } = requireValidChange(ctx, subject, {
    change: requested,
    startDate: ad.settings.startDate,
    fields: ['name', 'budgetAmount', 'endDate', 'urlParameters'],
  });
  const { name, urlParameters } = change;
  return withCampaignLock(ctx, { platform: adapter.platform, campaignId: ref.campaignId, account }, async () => {
    await requireLive(ctx, { ...ref, accountId: account._id, adId });
    if (change.endDate !== undefined) await requireEndedNotStopped(ctx, changingCampaign(subject));
    const recorded = await recordedTerms(ctx, subject);
    await requireWithinRecorded(ctx, subject, change, recorded);
    const settings = await planSettings(ctx, subject, { requested: change, recorded });
    const act = async (): Promise<Warning[]> => {
      // Name and URL parameters go first, because their rejection costs nothing.
      if (name) await renameAd(ctx, loaded, { subject, name });
      const shared = urlParameters ? await setUrlParameters(ctx, loaded, urlParameters) : [];
      if (settings) await changeSettings(ctx, subject, settings);
      return shared;
    };
    const limits = { change: plannedChange(subject, {}, settings), act };
    const { campaignId } = ref;
    const changed = { kind: 'ad' as const, recordId: adId, author: subject.author, account, campaignId };
    const shared = await recordingOutcome(ctx, changed, () =>
      settings ? withinLimits(ctx, changingCampaign(subject), limits) : act(),
    );
    const warnings = [...moved, ...shared, ...(settings ? budgetWarnings(subject, settings) : [])];
    return { ad: await stored(ctx, adId, {}), message: 'Ad updated', ...(warnings.length > 0 && { warnings }) };
  });
}

async function renameAd(
  ctx: Ctx,
  { ad: { _id: adId }, target: { adapter, account }, ref }: UpdateSubject,
  { subject, name }: { subject: LevelSubject; name: string },
): Promise<void> {
  const naming = namingOf(name, adId, adapter.maxNameLength);
  await callPlatform(ctx, account, (access) => adapter.renameAd(access, ref, naming.sent), 'ad_not_found');
  if (adapter.namesAdsByAdSet) await recordName(ctx, subject, naming);
  await setValues(ctx, 'ad', { filter: { _id: adId }, values: { name, naming }, author: subject.author });
}
