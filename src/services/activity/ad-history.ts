import type { AdHistoryEntry, AdHistoryInput, AdHistoryResult, HistoryStep } from '../../contract/ad-history.ts';
import type { ListWindow } from '../../contract/common.ts';
import { AppError } from '../../contract/error.ts';
import type { SentStep } from '../../models/sent-step.ts';
import { reachOf } from '../access.ts';
import type { Ctx } from '../context.ts';
import { paginationOf, readPage, type ListPage } from '../list-page.ts';
import { storedDates } from '../stored-dates.ts';
import { activityProjection, toActivityEntry } from './list-activity.ts';

const { instant, instantOrNull } = storedDates('activity');

/** What was done to an ad, its ad set and its campaign through this API, and what was sent for it; newest first. */
export async function adHistory(ctx: Ctx, input: AdHistoryInput): Promise<AdHistoryResult> {
  const page = await adHistoryPage(ctx, input);
  return { history: page.nodes, pagination: await paginationOf(page, input) };
}

/** A page of the history, without its total. */
export async function adHistoryPage(
  ctx: Ctx,
  { adId, page, cursor, after, limit }: AdHistoryInput & ListWindow,
): Promise<ListPage<AdHistoryEntry>> {
  const fields = { orderId: 1, accountId: 1, platformAdSetId: 1, platformCampaignId: 1 } as const;
  const ad = await ctx.db.ads.findOne({ _id: adId, ...reachOf(ctx) }, fields).lean();
  if (!ad) throw new AppError('ad_not_found', `Ad ${adId} not found`, { param: 'adId' });
  const { orderId, accountId, platformAdSetId, platformCampaignId } = ad;
  // The entry of the first ad of an order has the steps that all of its ads share.
  const ids = [adId, orderId, platformAdSetId, platformCampaignId].filter((id) => id !== null);
  const source = {
    model: ctx.db.activity,
    filter: { userId: ctx.caller.userId, accountId, 'object.id': { $in: [...new Set(ids)] } },
    order: { key: 'createdAt' as const, direction: -1 as const },
    projection: { ...activityProjection, steps: 1 } as const,
    identity: ['adHistory', adId],
    show: (docs: Parameters<typeof toEntry>[0][]) => docs.map(toEntry),
  };
  return readPage(source, { page, cursor, after, limit });
}

const toEntry = (doc: Parameters<typeof toActivityEntry>[0] & { steps?: SentStep[] }): AdHistoryEntry => ({
  ...toActivityEntry(doc),
  steps: (doc.steps ?? []).map((step) => toStep(doc, step)),
});

const toStep = (
  doc: { _id: string },
  { name, state, startedAt, endedAt, remoteId, errorCode, calls = [] }: SentStep,
): HistoryStep => ({
  name,
  state,
  startedAt: instant(doc, 'steps.startedAt', startedAt),
  endedAt: instantOrNull(doc, 'steps.endedAt', endedAt),
  platformId: remoteId ?? null,
  errorCode: errorCode ?? null,
  requests: calls.map(({ traceId, sentAt, ...call }) => ({
    ...call,
    sentAt: instant(doc, 'steps.calls.sentAt', sentAt),
    platformRequestId: traceId,
  })),
});
