import type { RemovalMode } from '../contract/capability.ts';
import { PlatformError } from './error.ts';
import type { Access, CampaignRef } from './platform.ts';

export type { RemovalMode } from '../contract/capability.ts';

/** An ad, an ad set or a campaign, by the ids that are given; an ad has the id of its ad set too. */
export type RemovalRef = CampaignRef & { adSetId?: string; adId?: string };

/** An object that can be removed, as it is at the platform. */
export interface Removable {
  /** Its own status; `draft` if it was never activated, `deleted` if the platform still shows it as such. */
  status: 'active' | 'paused' | 'draft' | 'archived' | 'deleted';
  /** What it contains, including itself, without what is already removed. */
  adSetIds: string[];
  adIds: string[];
}

export interface RemovalAdapter {
  /** Reads an ad, an ad set or a campaign with what it contains; undefined if the platform does not find it. */
  readRemovable: (access: Access, ref: RemovalRef) => Promise<Removable | undefined>;
  /** Removes the object and what it contains. Idempotent in effect: a repetition may be rejected. */
  remove: (access: Access, ref: RemovalRef, removal: { mode: RemovalMode; removable: Removable }) => Promise<void>;
}

type Level = 'campaign' | 'ad_set' | 'ad';

export const levelOf = ({ adId, adSetId }: RemovalRef): Level =>
  adId !== undefined ? 'ad' : adSetId !== undefined ? 'ad_set' : 'campaign';

/** The id of the object itself. */
export const idOf = ({ adId, adSetId, campaignId }: RemovalRef): string => adId ?? adSetId ?? campaignId;

type Status = Removable['status'];

/** The status of an object under its parents, on platforms where what a removed object contains keeps its own status. */
export async function statusWithin(
  ref: RemovalRef,
  statusOf: (ref: RemovalRef) => Promise<Status | undefined>,
): Promise<Status | undefined> {
  const [own, ...above] = await Promise.all([ref, ...parentsOf(ref)].map(statusOf));
  if (own === 'deleted' || above.includes('deleted')) return 'deleted';
  if (above.includes(undefined)) return undefined;
  return own !== undefined && above.includes('archived') ? 'archived' : own;
}

function parentsOf({ adAccount, campaignId, adSetId, adId }: RemovalRef): RemovalRef[] {
  if (adSetId === undefined) return [];
  return [...(adId === undefined ? [] : [{ adAccount, campaignId, adSetId }]), { adAccount, campaignId }];
}

interface Contents {
  adSets: () => Promise<string[]>;
  /** The ads in these ad sets. */
  ads: (adSetIds: string[]) => Promise<string[]>;
}

/** The object with what it contains; what a removed one contains is removed with it. */
export async function removableOf(ref: RemovalRef, status: Status, { adSets, ads }: Contents): Promise<Removable> {
  if (status === 'archived' || status === 'deleted') return { status, adSetIds: [], adIds: [] };
  const { adSetId, adId } = ref;
  if (adId !== undefined) return { status, adSetIds: [], adIds: [adId] };
  const adSetIds = adSetId === undefined ? await adSets() : [adSetId];
  return { status, adSetIds, adIds: await ads(adSetIds) };
}

/** The ids of all pages. */
export async function idsIn<T>(pages: AsyncIterable<T[]>, idIn: (item: T) => string | undefined): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of pages) ids.push(...page.flatMap((item) => idIn(item) ?? []));
  return ids;
}

/** Ids of what these parents contain; a query names at most `most` of them. */
export async function idsBelow(
  parentIds: string[],
  most: number,
  read: (parentIds: string[]) => Promise<string[]>,
): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < parentIds.length; at += most) ids.push(...(await read(parentIds.slice(at, at + most))));
  return ids;
}

/** After a part of a removal is done, a failure leaves its outcome unknown, so that the removal is completed later. */
export function rethrowAsUnknown(error: unknown): never {
  if (!(error instanceof PlatformError)) throw error;
  const { platform, message, upstream } = error;
  throw new PlatformError(platform, 'unknown_outcome', message, upstream, { cause: error });
}
