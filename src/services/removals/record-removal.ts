import type { AdStatus, Removal } from '../../contract/ad.ts';
import type { Author } from '../../models/activity.ts';
import type { SentStep } from '../../models/sent-step.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { TreeNode } from '../../models/campaign.ts';
import type { Collection } from '../../models/db.ts';
import type { RemovalDoc } from '../../models/removal.ts';
import { system } from '../activity/author.ts';
import { objectOf } from '../activity/level-activity.ts';
import { takeSteps } from '../activity/sent-steps.ts';
import { newActivity } from '../activity/new-activity.ts';
import { statusChanged } from '../ads/apply-status.ts';
import { withCurrency } from '../ads/currency.ts';
import { campaignRefOf } from '../campaigns/ids.ts';
import { recomputeAggregates } from '../campaigns/recompute-aggregates.ts';
import { showLevel, type Kind, type Records } from '../campaigns/updated-event.ts';
import type { Services } from '../context.ts';
import { endCopies } from '../duplications/duplication-store.ts';
import { newOutboxEvent } from '../durable/outbox.ts';
import { closeRemoval } from './removal-store.ts';

const batch = 500;
/** The order of these ads records their outcome. */
const unfinished: AdStatus[] = ['creating', 'unconfirmed'];

interface Outcome {
  removal: Removal;
  removedAt: Date;
  /** Of the named object; what it contains has no entry of its own. */
  author?: Author;
  steps?: SentStep[];
}

/** What is deleted stays deleted; what is archived can still be deleted. */
const notYet = (removal: Removal): object => ({
  removal: { $nin: removal === 'deleted' ? ['deleted'] : ['deleted', 'archived'] },
});

/** Records the removal of an object and what it contains, each with its event in the same write. Idempotent. */
export async function recordRemoval(services: Services, doc: RemovalDoc): Promise<void> {
  const { _id, kind, mode, accountId, campaignId, adSetId, author = system } = doc;
  const campaignRef = campaignRefOf(accountId, campaignId);
  const removal = mode === 'delete' ? 'deleted' : 'archived';
  const outcome: Outcome = { removal, removedAt: services.clock.now(), steps: takeSteps() };
  const ads = {
    ad: { _id },
    ad_set: { accountId, platformAdSetId: adSetId },
    campaign: { accountId, platformCampaignId: campaignId },
  }[kind];
  await recordAds(services, ads, { ...outcome, author: kind === 'ad' ? author : undefined });
  if (kind === 'campaign') {
    const $set = nodeFields(outcome);
    await services.db.adSets.updateMany({ campaignRef, ...notYet(outcome.removal) }, { $set });
  }
  if (kind !== 'ad') {
    // Strict order sends events by their time, and those of the ads have been written before.
    const removedAt = new Date(Math.max(services.clock.now().getTime(), outcome.removedAt.getTime() + 1));
    await recordLevel(services, { kind, _id }, { ...outcome, removedAt, author });
  }
  await recomputeAggregates(services.db, [campaignRef]);
  services.wakeRelay();
  if (kind === 'campaign') await endCopies(services, { accountId, campaignId });
  await closeRemoval(services, doc);
}

const nodeFields = ({ removal, removedAt }: Outcome) => ({
  platformStatus: 'cancelled' as const,
  removal,
  removedAt,
  updatedAt: removedAt,
});

async function recordAds(services: Services, of: object, outcome: Outcome): Promise<void> {
  const filter = { ...of, status: { $nin: unfinished }, ...notYet(outcome.removal) };
  for (;;) {
    const found = await services.db.ads.find(filter, { order: 0, steps: 0, pendingEvents: 0 }).limit(batch).lean();
    if (found.length === 0) return;
    const writes = (await withCurrency(services, found)).map((ad) => ({
      updateOne: {
        filter: { _id: ad._id, status: ad.status, removal: ad.removal ?? null },
        update: adUpdate(ad, outcome),
      },
    }));
    await services.db.ads.bulkWrite(writes as never, { ordered: false });
  }
}

function adUpdate(ad: AdDoc, outcome: Outcome): object {
  const { removal, removedAt } = outcome;
  const fields = { status: 'cancelled' as const, removal, removedAt, updatedAt: removedAt };
  const events = ad.status === 'cancelled' ? [] : [statusChanged({ ...ad, ...fields }, ad.status)];
  const items = [...events, ...entriesOf('ad', ad, outcome)];
  return { $set: fields, ...(items.length > 0 && { $push: { pendingEvents: { $each: items } } }) };
}

const entriesOf = <K extends Kind>(kind: K, doc: Records[K], { removal, removedAt: at, author, steps }: Outcome) => {
  const changes = [{ field: 'removal', before: doc.removal ?? null, after: removal }];
  return author
    ? [newActivity({ action: `${kind}.removed`, author, ...objectOf(kind, doc), changes, steps }, { at })]
    : [];
};

async function recordLevel(
  { db }: Services,
  { kind, _id }: { kind: 'ad_set' | 'campaign'; _id: string },
  outcome: Outcome,
): Promise<void> {
  const model = (kind === 'campaign' ? db.campaigns : db.adSets) as unknown as Collection<TreeNode>;
  const filter = { _id, ...notYet(outcome.removal) };
  const [before] = await withCurrency({ db }, await model.find(filter, { pendingEvents: 0 }).limit(1).lean());
  if (!before) return;
  const $set = nodeFields(outcome);
  const block = kind === 'campaign' ? 'campaign' : 'adSet';
  const shown = showLevel(kind, { ...before, ...$set } as never);
  const event = newOutboxEvent(`${kind}.removed`, { [block]: shown }, outcome.removedAt);
  const items = [event, ...entriesOf(kind, before as never, outcome)];
  await model.updateOne(filter, { $set, $push: { pendingEvents: { $each: items } } } as object);
}
