import { z } from 'zod';
import { isRecent } from '../poll.ts';
import type { Access, Copied, CopyLook, CopyOrder } from '../platform.ts';
import type { Client, Fields } from './client.ts';
import type { Raw } from './copy-fields.ts';
import { fromTime } from './wire.ts';

const levels = {
  campaign: { path: 'campaign/get', id: 'campaign_id', name: 'campaign_name' },
  adSet: { path: 'adgroup/get', id: 'adgroup_id', name: 'adgroup_name' },
  ad: { path: 'ad/get', id: 'ad_id', name: 'ad_name' },
} as const;
type Level = keyof typeof levels;

const Everything = z.record(z.string(), z.unknown());

export const idOf = (level: Level, raw: Raw): string => String(raw[levels[level].id]);
export const nameOf = (level: Level, raw: Raw): string => String(raw[levels[level].name] ?? '');

/** All objects of a level with all their fields, oldest first. */
export async function readAll(
  client: Client,
  access: Access,
  { level, advertiserId, filtering }: { level: Level; advertiserId: string; filtering: Fields },
): Promise<Raw[]> {
  // A list that shrinks while it is read repeats some objects.
  const found = new Map<string, Raw>();
  const query = { advertiser_id: advertiserId, filtering, exclude_field_types_in_response: ['NULL_FIELD'] };
  for await (const page of client.pages(access, levels[level].path, { item: Everything, query })) {
    for (const raw of page) found.set(idOf(level, raw), raw);
  }
  return [...found.values()].toSorted((a, b) => byId(idOf(level, a), idOf(level, b)));
}

const byId = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);

export interface ExpectedCopy {
  sourceId: string;
  /** The fields as sent, including the name. */
  fields: Fields;
}

interface Place {
  level: Level;
  filtering: Fields;
  expected: ExpectedCopy[];
}

/**
 * Finds which of the sent objects exist. Objects of other steps are excluded, so that shared names stay
 * distinguishable.
 */
export async function findMade(
  client: Client,
  access: Access,
  order: CopyOrder,
  { level, filtering, expected, taken }: Place & Pick<CopyLook, 'taken'>,
): Promise<Copied[]> {
  const all = await readAll(client, access, { level, advertiserId: order.adAccount.id, filtering });
  const free = new Set(
    all.filter(
      (raw) => !taken.has(idOf(level, raw)) && isRecent(fromTime(raw['create_time'] as string | undefined), order),
    ),
  );
  return expected.flatMap(({ sourceId, fields }) => {
    const named = [...free].filter((raw) => nameOf(level, raw) === fields[levels[level].name]);
    const made = named.find((raw) => isAlike(raw, fields)) ?? named[0];
    if (!made) return [];
    free.delete(made);
    return [{ kind: level, sourceId, copiedId: idOf(level, made) }];
  });
}

const isAlike = (raw: Raw, sent: Fields): boolean =>
  Object.entries(sent).every(([name, value]) => typeof value !== 'string' || !(name in raw) || raw[name] === value);
