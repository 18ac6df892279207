import { isDeepStrictEqual } from 'node:util';
import type { EventName, UpdateSource } from '../../contract/event.ts';
import type { AdSetDoc } from '../../models/ad-set.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { CampaignDoc, StoredBudget } from '../../models/campaign.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import { toAd } from '../ads/to-ad.ts';
import { newOutboxEvent } from '../durable/outbox.ts';
import { toAdSet, toCampaign } from './to-campaign.ts';

export interface Records {
  ad: AdDoc;
  ad_set: AdSetDoc;
  campaign: CampaignDoc;
}
export type Kind = keyof Records;

/** New values of a record by their path; undefined removes one. */
export type Values = Record<string, unknown>;

/** The paths whose changes are published, and the members that show them. */
export const memberOf: Record<string, string> = {
  name: 'name',
  budget: 'budget',
  endDate: 'endDate',
  platformStatus: 'platformStatus',
  'settings.budget': 'budget',
  'settings.endDate': 'schedule',
  'settings.urlParameters': 'urlParameters',
};

export const valueAt = (record: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Values | undefined)?.[name], record) ?? null;

/** The paths of a record whose new values are published. What a discovery reads for the first time is not a change. */
export const changedPaths = (before: object, values: Values, source: UpdateSource): string[] =>
  Object.keys(values).filter((path) => {
    if (memberOf[path] === undefined) return false;
    const [was, is] = [valueAt(before, path), values[path] ?? null];
    if (isDeepStrictEqual(was, is)) return false;
    if (path.endsWith('endDate') && isSameInstant(was, is)) return false;
    if (source === 'api') return true;
    return was === null ? isKnownEndless(before, path) : !isSpread(was, is);
  });

/** It was read from the platform before, and had no end; an end that was not read is missing. */
function isKnownEndless(before: Partial<AdDoc & CampaignDoc>, path: string): boolean {
  if (path === 'settings.endDate') return before.settings?.endDate === null;
  return path === 'endDate' && before.endDate === null && before.platformStatus !== null;
}

/** Some platforms keep whole seconds. */
const isSameInstant = (was: unknown, is: unknown): boolean =>
  was !== null &&
  is !== null &&
  Math.abs(new Date(was as string | Date).getTime() - new Date(is as string | Date).getTime()) < 1000;

/** A budget for the whole run that the platform stores as one for each day: only the order knows the sum. */
export const isSpread = (ordered: unknown, found: unknown): boolean =>
  (ordered as StoredBudget | null)?.type === 'lifetime' && (found as StoredBudget | null)?.type === 'daily';

/** The condition that the record still has the previous values, so that each change is published once. */
export const unchangedSince = (before: object, paths: string[]): object =>
  Object.fromEntries(paths.map((path) => [path, valueAt(before, path)]));

interface Update {
  paths: string[];
  source: UpdateSource;
}

/** The event of a changed record; it belongs to the write of the change. */
export function updatedEvent<K extends Kind>(kind: K, after: Records[K], { paths, source }: Update): PendingEvent {
  const { type, block, show } = kinds[kind];
  const changed = paths.map((path) => memberOf[path]);
  return newOutboxEvent(type, { [block]: { ...show(after), changed, source } }, after.updatedAt);
}

const kinds: { [K in Kind]: { type: EventName; block: string; show: (doc: Records[K]) => object } } = {
  ad: { type: 'ad.updated', block: 'ad', show: toAd },
  ad_set: { type: 'ad_set.updated', block: 'adSet', show: showAdSet },
  campaign: { type: 'campaign.updated', block: 'campaign', show: showCampaign },
};

/** A campaign or an ad set in an event: without what follows from its ads. */
export const showLevel = <K extends 'ad_set' | 'campaign'>(kind: K, doc: Records[K]): object => kinds[kind].show(doc);

function showCampaign(doc: CampaignDoc): object {
  const { status: _status, adCount: _ads, adSetCount: _adSets, metrics: _metrics, ...own } = toCampaign(doc);
  return own;
}

function showAdSet(doc: AdSetDoc): object {
  const { status: _status, adCount: _ads, metrics: _metrics, ...own } = toAdSet(doc);
  const { platform, accountId, profileId, platformAdAccountId } = doc;
  return { ...own, platform, accountId, profileId, platformAdAccountId };
}
