import type { CreatedAd, UpstreamAdStatus } from '../platform.ts';
import { newAd } from '../effective-status.ts';
import type { CreateContext } from './create-ads.ts';
import { PromotedTweet } from './wire.ts';

interface State {
  entity_status?: string | null;
  deleted?: boolean;
}

export const stateOf = ({ entity_status: status, deleted }: State): UpstreamAdStatus => {
  if (deleted) return 'cancelled';
  return status === 'ACTIVE' ? 'active' : 'paused';
};

/** The review status takes precedence over the switch. */
export function statusOf(promoted: State & { approval_status?: string | null }): {
  status: UpstreamAdStatus;
  rejectionReason?: string;
} {
  if (promoted.deleted) return { status: 'cancelled' };
  if (promoted.approval_status === 'REJECTED') {
    return { status: 'rejected', rejectionReason: 'The platform disapproved the ad' };
  }
  const isWaiting = promoted.approval_status === 'PENDING' || promoted.approval_status === 'UNDER_REVIEW';
  return { status: isWaiting ? 'pending_review' : stateOf(promoted) };
}

/** Reads the status of a new ad. */
export const readStatus = (cascade: CreateContext, lineItemId: string, adId: string): Promise<CreatedAd> => {
  const { client, access, account } = cascade;
  return newAd(cascade, adId, async () => {
    const params = { line_item_ids: lineItemId };
    for await (const page of client.pages(access, `${account}/promoted_tweets`, { item: PromotedTweet, params })) {
      const mine = page.find(({ id }) => id === adId);
      if (mine) return statusOf(mine);
    }
    return undefined;
  });
};
