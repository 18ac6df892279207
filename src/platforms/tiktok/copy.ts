import { copyName, isCopyActive, type CopyKind } from '../copies.ts';
import { PlatformError } from '../error.ts';
import { chunksOf } from '../../lib/chunks.ts';
import { inParallel } from '../parallel.ts';
import type { Access, CopyAdapter, CopyJournal, CopyResult, CopyOrder, CopyTree } from '../platform.ts';
import type { Client } from './client.ts';
import { adCopy, adGroupCopy, campaignCopy, switchFor, type Raw } from './copy-fields.ts';
import { findMade, idOf, readAll, type ExpectedCopy } from './find-copies.ts';
import { readCampaign, readChildren, readTree } from './copy-read.ts';
import { requestId } from './create-ads.ts';
import { CreatedAdGroup, AdIds, CreatedCampaign, Nothing } from './wire.ts';

interface Copying {
  client: Client;
  access: Access;
  order: CopyOrder & { tree: CopyTree };
  journal: CopyJournal;
  /** Concurrent requests. */
  width: number;
}

const maxNameLength = 512;
const creativesPerCall = 20;

/** The platform has no complete copy operation: the source is read and recreated object by object. */
export function createCopies(client: Client, callsPerSecond: number): CopyAdapter {
  // Responses may take two seconds; this concurrency keeps the rate up.
  const width = Math.max(4, callsPerSecond * 2);
  return {
    readTree: (access, order) => readTree(client, access, order),
    conflictKey: ({ options }, { campaign }) =>
      copyName(options, 'campaign', { ...campaign, maxLength: maxNameLength }),
    copyCampaign: (access, order, journal) => copyCampaign({ client, access, order, journal, width }),
    copyRest: (access, order, journal) => copyRest({ client, access, order, journal, width }),
  };
}

const named = ({ options }: CopyOrder, kind: CopyKind, name: string): string =>
  copyName(options, kind, { name, maxLength: maxNameLength });

async function copyCampaign({ client, access, order, journal }: Copying): Promise<CopyResult> {
  const { tree, adAccount } = order;
  const sourceId = tree.campaign.id;
  const name = named(order, 'campaign', tree.campaign.name);
  const place = { level: 'campaign' as const, filtering: { campaign_name: name } };
  const made = await journal.run({
    name: 'campaign',
    makes: [{ kind: 'campaign', sourceId }],
    existingCopyIds: async () =>
      (await readAll(client, access, { ...place, advertiserId: adAccount.id })).map((raw) => idOf('campaign', raw)),
    send: async () => {
      const fields = {
        ...campaignCopy(await readCampaign(client, access, order)),
        advertiser_id: adAccount.id,
        campaign_name: name,
        operation_status: 'DISABLE',
        request_id: requestId(`${order.operationId} campaign`),
      };
      const made = await client.write(access, 'campaign/create', { schema: CreatedCampaign.loose(), fields });
      return { copied: [{ kind: 'campaign', sourceId, copiedId: made.campaign_id }], raw: made };
    },
    find: async ({ taken }) => {
      const expected = [{ sourceId, fields: { campaign_name: name } }];
      return findMade(client, access, order, { ...place, expected, taken });
    },
  });
  return { ...made, raw: made.raw ?? { campaign_id: made.copied[0]?.copiedId } };
}

/** Copies ad groups concurrently, each followed by its ads, then activates the campaign. */
async function copyRest(copying: Copying): Promise<void> {
  const { client, access, order, journal, width } = copying;
  const { adSets, campaign } = order.tree;
  const campaignId = journal.copyOf('campaign', campaign.id);
  if (campaignId === undefined) throw new Error('The campaign must be copied first');
  if (adSets.length > 0) {
    const [source, { groups, ads }] = await Promise.all([
      readCampaign(client, access, order),
      readChildren(client, access, order),
    ]);
    const rawGroups = new Map(groups.map((group) => [idOf('adSet', group), group]));
    const rawAds = new Map(ads.map((ad) => [idOf('ad', ad), ad]));
    await inParallel(adSets, width, async (adSet) => {
      const raw = rawGroups.get(adSet.id);
      const groupId = await copyGroup(copying, { campaignId, adSet, raw, source });
      if (groupId === undefined) return;
      const share = Math.max(1, Math.floor(width / adSets.length));
      const chunks = chunksOf(adSet.ads, creativesPerCall);
      await inParallel(chunks, share, (chunk) => copyAds(copying, { groupId, chunk, rawAds }));
    });
  }
  if (isCopyActive(order.options, campaign)) await activate(copying, campaignId);
}

interface Group {
  campaignId: string;
  adSet: CopyTree['adSets'][number];
  /** Missing if the source was deleted in the meantime. */
  raw?: Raw;
  /** The source campaign. */
  source: Raw;
}

async function copyGroup(
  { client, access, order, journal }: Copying,
  { campaignId, adSet, raw, source }: Group,
): Promise<string | undefined> {
  const name = named(order, 'adSet', adSet.name);
  const sourceId = adSet.id;
  await journal.run({
    name: `adSet.${sourceId}`,
    makes: [{ kind: 'adSet', sourceId }],
    alike: [`adSet ${name}`],
    send: async () => {
      if (!raw) return { copied: [] };
      const body = {
        // Its times are evaluated now: those of an existing copy may be in the past.
        ...adGroupCopy(raw, source, { options: order.options, now: access.clock.now() }),
        advertiser_id: order.adAccount.id,
        campaign_id: campaignId,
        adgroup_name: name,
        operation_status: switchFor(order.options, adSet),
        request_id: requestId(`${order.operationId} adgroup ${sourceId}`),
      };
      const made = await client.write(access, 'adgroup/create', { schema: CreatedAdGroup, fields: body });
      return { copied: [{ kind: 'adSet', sourceId, copiedId: made.adgroup_id }] };
    },
    find: ({ taken }) => {
      const expected = [{ sourceId, fields: { adgroup_name: name } }];
      return findMade(client, access, order, {
        level: 'adSet',
        filtering: { campaign_ids: [campaignId] },
        expected,
        taken,
      });
    },
  });
  return journal.copyOf('adSet', sourceId);
}

interface Chunk {
  groupId: string;
  chunk: CopyTree['adSets'][number]['ads'];
  rawAds: ReadonlyMap<string, Raw>;
}

async function copyAds({ client, access, order, journal }: Copying, { groupId, chunk, rawAds }: Chunk): Promise<void> {
  const nameFor = new Map(chunk.map(({ id, name }) => [id, named(order, 'ad', name)]));
  const switches = new Map(chunk.map((ad) => [ad.id, switchFor(order.options, ad)]));
  const expectedOf = (sourceIds: string[]): ExpectedCopy[] =>
    sourceIds.map((sourceId) => {
      const raw = rawAds.get(sourceId);
      const fields = raw && { ...adCopy(raw), operation_status: switches.get(sourceId) };
      return { sourceId, fields: { ...fields, ad_name: nameFor.get(sourceId) ?? '' } };
    });
  await journal.run({
    name: `ads.${chunk[0]?.id}`,
    makes: chunk.map(({ id }) => ({ kind: 'ad', sourceId: id })),
    alike: [...new Set([...nameFor.values()].map((name) => `ad ${groupId} ${name}`))],
    send: async (missing) => {
      const expected = expectedOf(missing.map(({ sourceId }) => sourceId).filter((id) => rawAds.has(id)));
      if (expected.length === 0) return { copied: [] };
      const creatives = expected.map(({ fields }) => fields);
      const body = { advertiser_id: order.adAccount.id, adgroup_id: groupId, creatives };
      const ids = await client.write(access, 'ad/create', { schema: AdIds, fields: body });
      if (ids.length !== expected.length) {
        throw new PlatformError('D', 'unknown_outcome', `The platform created ${ids.length} of ${expected.length} ads`);
      }
      return { copied: expected.map(({ sourceId }, at) => ({ kind: 'ad', sourceId, copiedId: ids[at] ?? '' })) };
    },
    find: ({ missing, taken }) => {
      const expected = expectedOf(missing.map(({ sourceId }) => sourceId));
      return findMade(client, access, order, { level: 'ad', filtering: { adgroup_ids: [groupId] }, expected, taken });
    },
  });
}

/** Activation is idempotent, so it is resent after a lost response. */
async function activate({ client, access, order, journal }: Copying, campaignId: string): Promise<void> {
  const fields = { advertiser_id: order.adAccount.id, campaign_ids: [campaignId], operation_status: 'ENABLE' };
  await journal.run({
    name: 'activate',
    makes: [],
    send: async () => {
      await client.write(access, 'campaign/status/update', { schema: Nothing, fields, isRepeatable: true });
      return { copied: [] };
    },
  });
}
