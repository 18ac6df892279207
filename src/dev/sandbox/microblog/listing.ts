import { isHidden } from './campaigns.ts';
import { flag, list, wholeNumber } from './checks.ts';
import { invalid, refused } from './errors.ts';
import { show } from './serialize.ts';
import type { AdAccount, Kind, Params, Thing, SandboxState } from './state.ts';

export interface Listing {
  data: unknown[];
  next_cursor?: string | null;
  total_count?: number;
}

const cursorOf = (position: number): string => `c-${position.toString(36)}`;

function positionOf(params: Params): number {
  const { cursor } = params;
  if (cursor === undefined) return 0;
  const position = /^c-[0-9a-z]+$/.test(cursor) ? Number.parseInt(cursor.slice(2), 36) : Number.NaN;
  if (Number.isNaN(position)) throw invalid('cursor', `"${cursor}" is no cursor`, cursor);
  return position;
}

export interface Source<T> {
  items: T[];
  keep?: (item: T) => boolean;
  show: (item: T) => unknown;
}

/** One page of a list, with the total count if requested. */
export function pageOf<T>(params: Params, { items, keep = () => true, show: shown }: Source<T>): Listing {
  const count = wholeNumber(params, 'count') ?? 200;
  if (count < 1 || count > 1000) throw invalid('count', 'count must be from 1 to 1000', params['count']);
  const wantsTotal = flag(params, 'with_total_count', false);
  if (wantsTotal && params['cursor'] !== undefined)
    throw refused('EXCLUSIVE_PARAMETERS', 'with_total_count and cursor exclude each other', 'with_total_count');
  const data: unknown[] = [];
  let position = positionOf(params);
  for (; position < items.length && data.length < count; position += 1) {
    const item = items[position] as T;
    if (keep(item)) data.push(shown(item));
  }
  const next_cursor = items.slice(position).some(keep) ? cursorOf(position) : null;
  return wantsTotal ? { data, total_count: items.filter(keep).length } : { data, next_cursor };
}

const maxIds = 200;
/** Filters by the list's own ids and by parent ids. */
const filters: Record<Kind, { own: string; above: string[] }> = {
  campaign: { own: 'campaign_ids', above: ['funding_instrument_ids'] },
  line_item: { own: 'line_item_ids', above: ['campaign_ids'] },
  promoted_tweet: { own: 'promoted_tweet_ids', above: ['line_item_ids'] },
  targeting_criterion: { own: 'targeting_criterion_ids', above: ['line_item_ids'] },
  tweet: { own: 'tweet_ids', above: [] },
};

/** The objects of one kind in an account. Filters are plural; unknown ones are ignored, as upstream. */
export function listThings(
  sandbox: SandboxState,
  account: AdAccount,
  { kind, params }: { kind: Kind; params: Params },
): Listing {
  const { own, above } = filters[kind];
  const [ids, parents] = [list(params, own, maxIds), above.map((name) => list(params, name, maxIds)).find(Boolean)];
  const among = ids ? [...new Set(ids)] : parents?.flatMap((id) => sandbox.below(kind, id));
  const isParent = parents && new Set(parents);
  const [withDeleted, withDraft] = [flag(params, 'with_deleted', false), flag(params, 'with_draft', false)];
  const q = params['q']?.toLowerCase();
  const keep = (thing: Thing | undefined): boolean => {
    if (thing?.kind !== kind || thing.accountId !== account.id) return false;
    if ((!withDeleted && isHidden(sandbox, thing)) || (thing.fields['entity_status'] === 'DRAFT' && !withDraft))
      return false;
    if (isParent && !isParent.has(thing.parentId)) return false;
    return q === undefined || (thing.fields['name'] ?? '').toLowerCase().includes(q);
  };
  return pageOf(params, {
    items: among ?? sandbox.below(kind, account.id),
    keep: (id) => keep(sandbox.things.get(id)),
    show: (id) => {
      const thing = sandbox.things.get(id);
      return thing && show(sandbox, thing);
    },
  });
}
