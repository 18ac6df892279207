import type { Db } from '../../models/db.ts';
import type { CampaignDoc } from '../../models/campaign.ts';
import { writeAll } from '../../models/driver.ts';
import type { BudgetLevel, FoundAdSet, FoundCampaign, UpstreamAdStatus } from '../../platforms/platform.ts';
import { atPlatform } from '../activity/author.ts';
import { levelActivity } from '../activity/level-activity.ts';
import { adSetRefOf, campaignRefOf } from '../campaigns/ids.ts';
import {
  changedPaths,
  unchangedSince,
  updatedEvent,
  valueAt,
  type Records,
  type Values,
} from '../campaigns/updated-event.ts';
import type { Services } from '../context.ts';
import { shownName } from '../shown-name.ts';
import { ownerOf } from '../ads/owner-of.ts';
import { namingsOfOrders } from './order-names.ts';
import { isRestored, notRemoved, wasSeenInRun, readable, says, type PageScope } from './scope.ts';

/** Writes a page of campaigns, known or not: one read and one write. Answers how many are seen first. */
export async function saveCampaigns(services: Services, scope: PageScope, found: FoundCampaign[]): Promise<number> {
  const now = services.clock.now();
  const nodes = found.map(({ id, name, status, goal, createdAt, metrics, closedMetrics, isPartial, ...found }) => ({
    _id: campaignRefOf(scope.account._id, id),
    facts: {
      ...ownerOf(scope),
      name,
      platformStatus: status,
      goal: goal ?? null,
      budget: found.budget ?? null,
      ...(found.budgetLevel && { budgetLevel: found.budgetLevel }),
      spendLimit: found.spendLimit ?? null,
      ...(found.declarations && { declarations: found.declarations }),
      endDate: found.endDate ?? null,
      ...(metrics !== undefined && { metrics }),
      ...(closedMetrics && { closedMetrics }),
    },
    isPartial,
    fresh: { status, platformCampaignId: id, isExternal: true, adSetCount: 0, createdAt: createdAt ?? now },
  }));
  const before = await saveNodes(services, 'campaign', scope, { nodes, now });
  for (const { id, status, budgetLevel } of found) {
    const was = before.known.get(campaignRefOf(scope.account._id, id))?.platformStatus;
    scope.campaigns.set(id, { budgetLevel, isHeld: status === 'paused' || was === 'paused' });
  }
  return before.fresh;
}

/** Writes a page of ad sets, known or not: one read and one write. Answers how many are seen first. */
export async function saveAdSets(services: Services, scope: PageScope, found: FoundAdSet[]): Promise<number> {
  const now = services.clock.now();
  const accountId = scope.account._id;
  const nodes = found.map(({ id, campaignId, status, ...adSet }) => ({
    _id: adSetRefOf(accountId, id),
    facts: {
      ...ownerOf(scope),
      name: adSet.name,
      platformStatus: status,
      ...(status === 'active' && { isPaused: false }),
      goal: adSet.goal ?? null,
      budget: adSet.budget ?? null,
      ...levelOf(adSet, scope.campaigns.get(campaignId)?.budgetLevel),
      bidStrategy: adSet.bidStrategy ?? null,
      bidAmount: adSet.bidAmount ?? null,
      ...(adSet.declarations && { declarations: adSet.declarations }),
      startDate: adSet.startDate ?? null,
      endDate: adSet.endDate ?? null,
      ...(adSet.targeting !== undefined && { targeting: adSet.targeting }),
      ...(adSet.metrics !== undefined && { metrics: adSet.metrics }),
      ...(adSet.closedMetrics && { closedMetrics: adSet.closedMetrics }),
      campaignRef: campaignRefOf(accountId, campaignId),
      platformCampaignId: campaignId,
    },
    isPartial: adSet.isPartial,
    isStatusDerived: scope.campaigns.get(campaignId)?.isHeld,
    fresh: { status, platformAdSetId: id, createdAt: adSet.createdAt ?? now },
  }));
  return (await saveNodes(services, 'ad_set', scope, { nodes, now })).fresh;
}

/** The level that carries the budget of an ad set; undefined if it is not known. */
function levelOf({ budget, isPartial }: Partial<FoundAdSet>, ofCampaign: BudgetLevel | undefined) {
  const budgetLevel = budget ? 'ad_set' : ofCampaign;
  return budgetLevel && (budgetLevel === 'campaign' || !isPartial) ? { budgetLevel } : {};
}

type NodeKind = 'campaign' | 'ad_set';

interface Node {
  _id: string;
  /** What the platform says of it. */
  facts: { name: string; platformStatus: UpstreamAdStatus; isPaused?: boolean };
  /** A field could not be parsed; its stored value stays. */
  isPartial?: boolean;
  /** Its status follows from its campaign, whose change is published instead. */
  isStatusDerived?: boolean;
  /** What stands in the record of one that is new. */
  fresh: object;
}

const emptyAggregates = { adCount: 0, metrics: null, aggregateVersion: null };

/** What is known as it is gets a stamp and no more. A run that was taken over may write late: the newer stamp stays. */
async function saveNodes(
  services: Services,
  kind: NodeKind,
  scope: PageScope,
  { nodes, now }: { nodes: Node[]; now: Date },
): Promise<{ known: Map<string, CampaignDoc>; fresh: number }> {
  if (nodes.length === 0) return { known: new Map(), fresh: 0 };
  const ids = nodes.map(({ _id }) => _id);
  // What both have in common is all that is looked at.
  const model = (kind === 'campaign' ? services.db.campaigns : services.db.adSets) as Db['campaigns'];
  const docs = await model
    .find({ _id: { $in: ids } }, { pendingEvents: 0 })
    .batchSize(ids.length + 1)
    .lean();
  const known = new Map(docs.map((doc) => [doc._id, doc]));
  const begun = await namingsOfOrders(services, scope, { nodes, known });
  const factsOf = ({ _id, facts, isPartial }: Node): object => {
    const before = known.get(_id);
    const naming = before?.naming ?? begun.get(_id);
    const shown = {
      ...factsAfter(scope, before, facts),
      ...(naming && { naming, name: shownName(naming, facts.name) }),
    };
    return isPartial && before ? readable(shown) : shown;
  };
  const isNewer = ({ _id }: Node): boolean => {
    const before = known.get(_id);
    return before !== undefined && before.updatedAt > scope.askedAt;
  };
  const isSaid = (node: Node): boolean => {
    const before = known.get(node._id);
    return before !== undefined && says(before, factsOf(node));
  };
  const seen = { seenAt: scope.startedAt };
  const read = { ...seen, readAt: scope.startedAt };
  let isPublished = false;
  const writes: object[] = nodes
    .filter((node) => !isNewer(node) && !isSaid(node))
    .map((node) => {
      const { _id, fresh, isStatusDerived, isPartial } = node;
      const before = known.get(_id);
      const says = { ...factsOf(node), updatedAt: now };
      const $max = isPartial ? seen : read;
      const change = before && changeOf(kind, before, { says, isStatusDerived, $max });
      isPublished ||= change?.isPublished === true;
      return change
        ? { updateOne: change.write }
        : {
            updateOne: {
              filter: { _id },
              update: { $setOnInsert: { ...emptyAggregates, ...fresh, ...says }, $max },
              upsert: true,
            },
          };
    });
  // A record that is newer than the page is not as it was read, and a concurrent change excludes the write above.
  const same = new Set(nodes.filter((node) => !node.isPartial && !isNewer(node) && isSaid(node)).map(({ _id }) => _id));
  for (const [ids, $max] of [
    [[...known.keys()].filter((id) => !same.has(id)), seen],
    [[...same], read],
  ] as const)
    if (ids.length > 0) writes.push({ updateMany: { filter: { _id: { $in: ids } }, update: { $max } } });
  await writeAll(model, writes);
  if (isPublished) services.wakeRelay();
  return { known, fresh: nodes.filter(({ _id }) => !wasSeenInRun(scope, known.get(_id))).length };
}

/** What the platform says of an object; a removed one keeps its status. */
function factsAfter(scope: PageScope, before: CampaignDoc | undefined, facts: Node['facts']): object {
  if (!before?.removal) return facts;
  if (isRestored(scope, before, facts.platformStatus)) return { ...facts, ...notRemoved };
  const { platformStatus: _status, isPaused: _isPaused, ...others } = facts;
  return others;
}

interface NodeChange {
  says: object;
  isStatusDerived?: boolean;
  /** The stamps of the read. */
  $max: object;
}

/** A change and its event are one write, and happen once. What is changed here between the read and this write stays. */
function changeOf(kind: NodeKind, before: CampaignDoc, { says, isStatusDerived = false, $max }: NodeChange) {
  const paths = changedPaths(before, says as Values, 'platform').filter(
    (path) => path !== 'name' && !(isStatusDerived && path === 'platformStatus'),
  );
  const isPublished = paths.length > 0;
  const after = { ...before, ...says } as Records[NodeKind];
  const values = Object.fromEntries(paths.map((path) => [path, valueAt(after, path)]));
  const items = isPublished && [
    updatedEvent(kind, after, { paths, source: 'platform' }),
    levelActivity(kind, before as Records[NodeKind], { values, author: atPlatform, at: after.updatedAt, steps: [] }),
  ];
  const filter = { _id: before._id, updatedAt: before.updatedAt, ...unchangedSince(before, paths) };
  return {
    write: { filter, update: { $set: says, $max, ...(items && { $push: { pendingEvents: { $each: items } } }) } },
    isPublished,
  };
}
