import { segment } from '../../lib/segment.ts';
import { z } from 'zod';
import { grouped } from '../../lib/group-by.ts';
import { PlatformError } from '../error.ts';
import { isRenamed, type CopyKind, type CopyOptions } from '../copies.ts';
import type { Access, CopyOrder, CopyTree } from '../platform.ts';
import type { Client } from './client.ts';

const text = z.string().optional();
const Source = z.object({ id: z.string(), name: z.string().default(''), status: text, account_id: text });
const SourceSet = Source.extend({ start_time: text, end_time: text });
const SourceAd = Source.extend({ adset_id: z.string() });

const isThere = ({ status }: { status?: string }): boolean => !/DELETED|ARCHIVED/.test(status ?? '');

export async function readTree(client: Client, access: Access, { campaignId, options }: CopyOrder): Promise<CopyTree> {
  const campaign = await client.read(access, segment(campaignId), {
    schema: Source,
    query: { fields: 'id,name,status' },
  });
  if (!isThere(campaign)) throw new PlatformError('A', 'not_found', `The campaign ${campaignId} is deleted`);
  const toSource = ({ id, name, status }: z.infer<typeof Source>): CopyTree['campaign'] => ({
    id,
    name,
    isActive: status === 'ACTIVE',
  });
  requireRoom('campaign', campaign, options);
  if (!options.deepCopy) return { campaign: toSource(campaign), adSets: [] };
  const [sets, ads] = await Promise.all([
    client.list(access, `${segment(campaignId)}/adsets`, {
      item: SourceSet,
      query: { fields: 'id,name,status,start_time,end_time' },
    }),
    client.list(access, `${segment(campaignId)}/ads`, { item: SourceAd, query: { fields: 'id,name,status,adset_id' } }),
  ]);
  for (const set of sets.filter(isThere)) {
    requireOrder(set, options, access.clock.now().getTime());
    requireRoom('adSet', set, options);
  }
  for (const ad of ads.filter(isThere)) requireRoom('ad', ad, options);
  const bySet = grouped(ads.filter(isThere), ({ adset_id: adSetId }) => adSetId);
  const adSets = sets
    .filter(isThere)
    .map((set) => ({ ...toSource(set), ads: (bySet.get(set.id) ?? []).map((ad) => toSource(ad)) }));
  return { campaign: toSource(campaign), adSets };
}

/** A schedule in the past keeps its length and starts now. */
function endOf({ start_time: start, end_time: end }: z.infer<typeof SourceSet>, now: number): number {
  const [from, until] = [Date.parse(start ?? ''), Date.parse(end ?? '')];
  return until > now ? until : now + (until - from);
}

/** An ad set that ends before it starts would be rejected halfway through the copy. */
function requireOrder(set: z.infer<typeof SourceSet>, { startTime, endTime }: CopyOptions, now: number): void {
  const start = Math.max(now, Date.parse(startTime ?? set.start_time ?? '') || now);
  const end = endTime ? Date.parse(endTime) : endOf(set, now);
  if (!(end <= start)) return;
  const message = `The ad set ${set.name} would end before it starts; set an endTime after its start`;
  throw new PlatformError('A', 'rejected', message, { fields: { endTime: [message] } });
}

export const maxNameLength = 400;

/** The platform concatenates names without truncating them. */
function requireRoom(kind: CopyKind, { name }: { name: string }, options: CopyOptions): void {
  const { renamePrefix = '', renameSuffix = '' } = options;
  if (!isRenamed(options, kind) || renamePrefix.length + name.length + renameSuffix.length <= maxNameLength) return;
  const message = `would create a name longer than the platform maximum of ${maxNameLength} characters: ${name}`;
  const param = renameSuffix === '' ? 'renamePrefix' : 'renameSuffix';
  throw new PlatformError('A', 'rejected', `${param} ${message}`, { fields: { [param]: [message] } });
}
