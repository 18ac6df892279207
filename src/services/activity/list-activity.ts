import type { ActivityEntry, ListActivityInput, ListActivityResult } from '../../contract/activity.ts';
import type { ListWindow } from '../../contract/common.ts';
import type { ActivityDoc } from '../../models/activity.ts';
import { reachOf } from '../access.ts';
import type { Ctx } from '../context.ts';
import { paginationOf, readPage, type ListPage } from '../list-page.ts';
import type { Projected } from '../projected.ts';
import { storedDates } from '../stored-dates.ts';

const { instant } = storedDates('activity');

/** The changes visible to the API key, newest first. */
export async function listActivity(ctx: Ctx, input: ListActivityInput): Promise<ListActivityResult> {
  const page = await activityPage(ctx, input);
  return { activity: page.nodes, pagination: await paginationOf(page, input) };
}

/** A page of the changes, without their total. */
export function activityPage(
  ctx: Ctx,
  { page, cursor, after, limit, ...filters }: ListActivityInput & ListWindow,
): Promise<ListPage<ActivityEntry>> {
  const source = {
    model: ctx.db.activity,
    filter: { ...reachOf(ctx), ...filterOf(filters) },
    order: { key: 'createdAt' as const, direction: -1 as const },
    projection: activityProjection,
    identity: ['activity', filters],
    show: (docs: ShownActivity[]) => docs.map(toActivityEntry),
  };
  return readPage(source, { page, cursor, after, limit });
}

export const activityProjection = {
  action: 1,
  author: 1,
  object: 1,
  profileId: 1,
  accountId: 1,
  platform: 1,
  changes: 1,
  createdAt: 1,
} as const;

type ShownActivity = Projected<ActivityDoc, typeof activityProjection>;

type Filters = Omit<ListActivityInput, 'page' | 'cursor' | 'limit'>;

function filterOf({ objectType, objectId, action, keyId, accountId, from, to }: Filters): object {
  const createdAt = { ...(from && { $gte: new Date(from) }), ...(to && { $lt: new Date(to) }) };
  return {
    ...(objectType && { 'object.type': objectType }),
    ...(objectId && { 'object.id': objectId }),
    ...(action && { action }),
    ...(keyId && { 'author.keyId': keyId }),
    ...(accountId && { accountId }),
    ...((from ?? to) && { createdAt }),
  };
}

export const toActivityEntry = ({ action, author, object, ...doc }: ShownActivity): ActivityEntry => ({
  id: doc._id,
  at: instant(doc, 'createdAt'),
  action,
  actor: { type: author.type, keyId: author.keyId ?? null, keyName: author.keyName ?? null },
  source: author.source,
  object: { type: object.type, id: object.id, name: object.name ?? null },
  profileId: doc.profileId ?? null,
  accountId: doc.accountId ?? null,
  platform: doc.platform ?? null,
  changes: doc.changes as ActivityEntry['changes'],
  requestId: author.requestId ?? null,
});
