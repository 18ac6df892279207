import { chunksOf } from '../../lib/chunks.ts';
import type { Access, ReportQuery } from '../platform.ts';
import type { Client, Params } from './client.ts';
import type { Page } from './report-book.ts';
import { entities, levelOf, placements, targetsOf, timeZoneOf, type Target } from './report-objects.ts';
import { incomplete, requested, type Requested, type Stats } from './report-rows.ts';
import { windowsOf, type Window } from './report-windows.ts';

export const maxIds = 20;
export const callsAtOnce = 4;

/** Segments exist in jobs only. */
const segments: Partial<Record<string, string>> = { age: 'AGE', gender: 'GENDER', device: 'PLATFORMS' };
export const segmentOf = ({ breakdowns: [breakdown] }: ReportQuery): string | undefined => segments[breakdown ?? ''];

export const requestedFor = ({ breakdowns: [breakdown] }: ReportQuery): Requested =>
  breakdown === 'age' || breakdown === 'gender' ? requested.delivery : requested.all;

/** One request for up to 20 objects that may have figures in its placement. */
export interface Asked extends Page {
  ids: string[];
}

export interface Plan {
  timeZone: string;
  /** Up to 20 objects each, with their requests. */
  chunks: { ids: string[]; asked: Asked[] }[];
}

export async function planOf(client: Client, access: Access, query: ReportQuery, maxMs: number): Promise<Plan> {
  const timeZone = await timeZoneOf(client, access, query);
  const windows = windowsOf({ ...query, timeZone, now: access.clock.now() }, maxMs);
  const targets = await targetsOf(client, access, query, timeZone);
  // Objects with special placements share their requests.
  const sorted = targets.toSorted((one, other) => other.placements.length - one.placements.length);
  const chunks = chunksOf(sorted, maxIds).map((some) => ({
    ids: some.map(({ id }) => id),
    asked: askedFor(some, windows),
  }));
  return { timeZone, chunks };
}

const askedFor = (targets: readonly Target[], windows: readonly Window[]): Asked[] =>
  placements.flatMap((placement) => {
    const ids = targets.filter((target) => target.placements.includes(placement)).map(({ id }) => id);
    return ids.length === 0 ? [] : windows.map((window) => ({ ids, placement, window }));
  });

export const paramsOf = (query: ReportQuery, { ids, placement, window }: Asked): Params => ({
  entity: entities[levelOf(query)],
  entity_ids: ids.join(','),
  ...window,
  placement,
  metric_groups: requestedFor(query).groups,
});

/** A response for other objects would look like no delivery, and one with an object twice would count it twice. */
export function complete(stats: Stats, ids: readonly string[]): Stats {
  const found = new Set(stats.data.map(({ id }) => id));
  if (stats.data.length === ids.length && ids.every((id) => found.has(id))) return stats;
  throw incomplete('The platform returned the figures of other objects than requested');
}
