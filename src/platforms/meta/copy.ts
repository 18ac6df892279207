import { z } from 'zod';
import { segment } from '../../lib/segment.ts';
import { isCopyActive, isRenamed, type CopyKind, type CopyOptions, type CopySource } from '../copies.ts';
import { PlatformError } from '../error.ts';
import type {
  Access,
  Copied,
  CopyAdapter,
  CopyJournal,
  CopyLook,
  CopyResult,
  CopyOrder,
  CopyTree,
} from '../platform.ts';
import { isRecent } from '../poll.ts';
import type { Client } from './client.ts';
import { readTree } from './copy-read.ts';
import { Changed, type Fields } from './wire.ts';
import type { Write, WriteTurns } from './write-turn.ts';

type Order = CopyOrder & { tree: CopyTree };

interface Copying {
  client: Client;
  access: Access;
  order: Order;
  journal: CopyJournal;
  write: Write;
}

/** The largest number of children that the platform copies synchronously. */
const maxSyncChildren = 3;

const text = z.string().optional();
const types = { campaign: 'campaign', ad_set: 'adSet', ad: 'ad' } as const;
const ObjectIds = z.array(z.object({ ad_object_type: z.string(), source_id: z.string(), copied_id: z.string() }));
const CopyAnswer = z.looseObject({
  copied_campaign_id: text,
  copied_adset_id: text,
  copied_ad_id: text,
  ad_object_ids: ObjectIds.optional(),
});
const Copy = z.object({
  id: z.string(),
  created_time: text,
  source_campaign_id: text,
  source_adset_id: text,
  source_ad_id: text,
});

/** The platform's own copy operation: one call for a small campaign, one per object for a larger one. */
export function createCopies(client: Client, inTurns: WriteTurns): CopyAdapter {
  return {
    readTree: (access, order) => readTree(client, access, order),
    conflictKey: (_order, { campaign }) => campaign.id,
    copyCampaign: (access, order, journal) =>
      inTurns(order.adAccount, (write) => copyCampaign({ client, access, order, journal, write })),
    copyRest: async (access, order, journal) => {
      const copying = { client, access, order, journal };
      const campaignId = campaignOf(copying);
      await inTurns(order.adAccount, (write) => copyChildren({ ...copying, write }, campaignId));
      // Others may wait for the write lock with the lock of the campaign, which its activation needs first.
      if (isSmall(order.tree) || !isCopyActive(order.options, order.tree.campaign)) return;
      await inTurns(order.adAccount, (write) => activate({ ...copying, write }, campaignId));
    },
  };
}

const childrenIn = ({ adSets }: CopyTree): number => adSets.reduce((sum, { ads }) => sum + 1 + ads.length, 0);
const isSmall = (tree: CopyTree): boolean => tree.adSets.length > 0 && childrenIn(tree) <= maxSyncChildren;

/** An omitted part of a name gets the platform's default; omitting both is intended. */
function renaming(options: CopyOptions, kind: CopyKind): Fields {
  if (!isRenamed(options, kind)) return { rename_strategy: 'NO_RENAME' };
  const { renameStrategy, renamePrefix, renameSuffix } = options;
  const isPlain = renamePrefix === undefined && renameSuffix === undefined;
  return {
    // Each call has its own top-level object.
    rename_strategy: kind === 'campaign' ? renameStrategy : 'ONLY_TOP_LEVEL_RENAME',
    ...(!isPlain && { rename_prefix: renamePrefix ?? '', rename_suffix: renameSuffix ?? '' }),
  };
}

/** A start in the past becomes now. */
function timesOf({ startTime, endTime }: CopyOptions, now: Date): Fields {
  const isPast = startTime !== undefined && new Date(startTime) < now;
  return { start_time: isPast ? now.toISOString() : startTime, end_time: endTime };
}

/** The objects of a response, the copy first; a copy without children may not list itself. */
function copiedIn(own: Copied, answer: z.infer<typeof CopyAnswer>): Copied[] {
  const listed = (answer.ad_object_ids ?? []).flatMap(
    ({ ad_object_type: type, source_id: sourceId, copied_id: copiedId }) => {
      const kind = types[type as keyof typeof types];
      return kind && sourceId !== own.sourceId ? [{ kind, sourceId, copiedId }] : [];
    },
  );
  return [own, ...listed];
}

const wireTypes = { campaign: 'campaign', adSet: 'ad_set', ad: 'ad' } as const;

const rawOf = (copied: Copied[], answer: Record<string, unknown> = {}): Record<string, unknown> => ({
  copied_campaign_id: copied[0]?.copiedId,
  ...answer,
  ad_object_ids: copied.map(({ kind, sourceId, copiedId }) => ({
    ad_object_type: wireTypes[kind],
    source_id: sourceId,
    copied_id: copiedId,
  })),
});

async function copyCampaign(copying: Copying): Promise<CopyResult> {
  const { client, access, order, journal, write } = copying;
  const { tree, options } = order;
  const isDeep = isSmall(tree);
  const path = `${segment(tree.campaign.id)}/copies`;
  const fields = {
    deep_copy: isDeep,
    // A single call is atomic; an incremental copy stays paused until it is complete.
    status_option: isDeep ? options.statusOption : 'PAUSED',
    ...(isDeep && timesOf(options, access.clock.now())),
    rename_options: renaming(options, 'campaign'),
  };
  const made = await journal.run({
    name: 'campaign',
    makes: [{ kind: 'campaign', sourceId: tree.campaign.id }],
    existingCopyIds: async () => (await copiesOf(copying)).map(({ id }) => id),
    send: async () => {
      const answer = await write(() =>
        client.write(access, path, { schema: CopyAnswer, fields, adAccount: order.adAccount }),
      );
      const copiedId = answer.copied_campaign_id;
      if (!copiedId) throw new PlatformError('A', 'unknown_outcome', 'The platform did not return the copied campaign');
      const copied = copiedIn({ kind: 'campaign', sourceId: tree.campaign.id, copiedId }, answer);
      // Created children that the response omits must be found, not created again.
      if (isDeep && copied.length <= childrenIn(tree))
        throw new PlatformError('A', 'unknown_outcome', 'The platform did not return all copied objects');
      return { copied, raw: rawOf(copied, answer) };
    },
    find: (look) => findCampaignCopy(copying, look, isDeep),
  });
  return { ...made, raw: made.raw ?? rawOf(made.copied) };
}

const copiesOf = ({ client, access, order }: Copying): Promise<z.infer<typeof Copy>[]> =>
  client.list(access, `${segment(order.campaignId)}/copies`, {
    item: Copy,
    query: { fields: 'id,created_time,source_campaign_id' },
  });

async function findCampaignCopy(copying: Copying, { taken, isLate }: CopyLook, isDeep: boolean): Promise<Copied[]> {
  const { order } = copying;
  const { tree } = order;
  const made = (await copiesOf(copying)).find(({ id, created_time: time }) => !taken.has(id) && isRecent(time, order));
  if (!made) return [];
  const campaign: Copied = { kind: 'campaign', sourceId: tree.campaign.id, copiedId: made.id };
  if (!isDeep) return [campaign];
  const [adSets, ads] = await Promise.all([childrenOf(copying, made.id, 'adSet'), childrenOf(copying, made.id, 'ad')]);
  const isWhole =
    adSets.length >= tree.adSets.length && ads.length >= tree.adSets.reduce((sum, set) => sum + set.ads.length, 0);
  // Children may still be in progress, so a second copy of them must not start.
  return isWhole || isLate ? [campaign, ...adSets, ...ads] : [];
}

const edges = { adSet: 'adsets', ad: 'ads' } as const;
const sources = { adSet: 'source_adset_id', ad: 'source_ad_id' } as const;

/** The children of a copy, each paired with its source object. */
async function childrenOf({ client, access }: Copying, parentId: string, kind: 'adSet' | 'ad'): Promise<Copied[]> {
  const page = { item: Copy, query: { fields: `id,${sources[kind]}` } };
  const found = await client.list(access, `${segment(parentId)}/${edges[kind]}`, page);
  return found.flatMap((copy) => {
    const sourceId = copy[sources[kind]];
    return sourceId === undefined ? [] : [{ kind, sourceId, copiedId: copy.id }];
  });
}

function campaignOf({ order, journal }: Pick<Copying, 'order' | 'journal'>): string {
  const campaignId = journal.copyOf('campaign', order.tree.campaign.id);
  if (campaignId === undefined) throw new Error('The campaign must be copied first');
  return campaignId;
}

/** Copies each ad set with its ads, one write at a time. */
async function copyChildren(copying: Copying, campaignId: string): Promise<void> {
  const { access, order } = copying;
  for (const adSet of order.tree.adSets) {
    const fields = { campaign_id: campaignId, deep_copy: false, ...timesOf(order.options, access.clock.now()) };
    const adSetId = await copyChild(copying, { kind: 'adSet', source: adSet, parentId: campaignId, fields });
    for (const ad of adSetId === undefined ? [] : adSet.ads) {
      await copyChild(copying, { kind: 'ad', source: ad, parentId: adSetId ?? '', fields: { adset_id: adSetId } });
    }
  }
}

interface Child {
  kind: 'adSet' | 'ad';
  source: CopySource;
  parentId: string;
  fields: Fields;
}

/** Deleted objects remain readable for a while, but cannot be copied. */
const isGone = (error: unknown): boolean =>
  error instanceof PlatformError && (error.fault === 'not_found' || error.upstream.subcode === 1_487_056);

/** Returns the id of the copy; undefined if its source was deleted in the meantime. */
async function copyChild(copying: Copying, { kind, source, parentId, fields }: Child): Promise<string | undefined> {
  const { client, access, order, journal, write } = copying;
  const sourceId = source.id;
  const known = journal.copyOf(kind, sourceId);
  if (known !== undefined) return known;
  const body = {
    ...fields,
    // The source may change while it is copied; use the status at the time of the request.
    status_option: isCopyActive(order.options, source) ? 'ACTIVE' : 'PAUSED',
    rename_options: renaming(order.options, kind),
  };
  await journal.run({
    name: `${kind}.${sourceId}`,
    makes: [{ kind, sourceId }],
    send: async () => {
      const asked = { schema: CopyAnswer, fields: body, adAccount: order.adAccount };
      const copy = () => client.write(access, `${segment(sourceId)}/copies`, asked);
      const answer = await write(copy).catch((error: unknown) => {
        if (isGone(error)) return undefined;
        throw error;
      });
      if (!answer) return { copied: [] };
      const copiedId = kind === 'adSet' ? answer.copied_adset_id : answer.copied_ad_id;
      if (!copiedId) throw new PlatformError('A', 'unknown_outcome', 'The platform did not return the copied object');
      return { copied: copiedIn({ kind, sourceId, copiedId }, answer) };
    },
    find: async () => (await childrenOf(copying, parentId, kind)).filter((child) => child.sourceId === sourceId),
  });
  return journal.copyOf(kind, sourceId);
}

/** Activation is idempotent, so it is resent after a lost response. */
async function activate({ client, access, journal, write }: Copying, campaignId: string): Promise<void> {
  await journal.run({
    name: 'activate',
    makes: [],
    send: async () => {
      await write(() => client.write(access, segment(campaignId), { schema: Changed, fields: { status: 'ACTIVE' } }));
      return { copied: [] };
    },
  });
}
