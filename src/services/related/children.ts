import { countedEntries } from '../../contract/common.ts';
import type { Db } from '../../models/db.ts';
import type { Ctx } from '../context.ts';
import { cursorsOf, sortOf, type Cursors, type ListOrder } from '../list-page.ts';

/** A page of each parent's children. */
export interface Part {
  /** The cursor of the last entry of the page before. */
  after?: string;
  /** If absent, all children. */
  limit?: number;
}

/** The requested page of each parent's children. */
export type Children<T> = Map<string, T[]>;

/** How the children of a record are found, in index order. */
export interface Branch<D> {
  parents: Pick<Db['campaigns'], 'aggregate'>;
  from: string;
  /** Stages that give each parent its key as `_id`, if that is not its own. */
  keyed?: object[];
  localField?: string;
  foreignField: string;
  let?: Record<string, string>;
  match?: object;
  order: ListOrder;
  /** What is read of the children; everything if it is absent. */
  projection?: object;
  /** Names the type of the children; it has no value. */
  child?: D;
}

interface Window {
  limit?: number;
  beyond?: object;
}

interface Parent<T> {
  _id: string;
  below: T[];
}

const lookUp = <D>(branch: Branch<D>, ids: string[], stages: object[]) => [
  { $match: { _id: { $in: ids } } },
  ...(branch.keyed ?? [{ $project: { _id: 1 } }]),
  {
    $lookup: {
      from: branch.from,
      localField: branch.localField ?? '_id',
      foreignField: branch.foreignField,
      ...(branch.let && { let: branch.let }),
      as: 'below',
      pipeline: [...(branch.match ? [{ $match: branch.match }] : []), ...stages],
    },
  },
];

/** Each parent with its own page of children: one query for all parents. */
async function readChildren<D>(branch: Branch<D>, ids: string[], { limit, beyond }: Window): Promise<Parent<D>[]> {
  const stages = [
    ...(beyond ? [{ $match: beyond }] : []),
    { $sort: sortOf(branch.order) },
    ...(limit === undefined ? [] : [{ $limit: limit }]),
    ...(branch.projection ? [{ $project: branch.projection }] : []),
  ];
  // One round trip, whatever the number of parents.
  return branch.parents.aggregate<Parent<D>>(lookUp(branch, ids, stages) as never, { batchSize: ids.length + 1000 });
}

/** How many children each parent has, as far as totals are counted: one query for all parents. */
async function countChildren<D>(branch: Branch<D>, ids: string[]): Promise<Map<string, number>> {
  const found = await branch.parents.aggregate<Parent<{ count: number }>>(
    lookUp(branch, ids, [{ $limit: countedEntries + 1 }, { $count: 'count' }]) as never,
    { batchSize: ids.length + 1000 },
  );
  return new Map(found.map(({ _id, below }) => [_id, below[0]?.count ?? 0]));
}

/** Converts the children of all parents at once. */
async function toChildren<D, T>(found: Parent<D>[], show: (docs: D[]) => T[] | Promise<T[]>): Promise<Children<T>> {
  const shown = await show(found.flatMap(({ below }) => below));
  let at = 0;
  return new Map(found.map(({ _id, below }) => [_id, shown.slice(at, (at += below.length))]));
}

/** The children of records that a relation lists. Keys are those of the parents. */
export interface ChildList<F, T> {
  page: (ctx: Ctx, keys: string[], options: { part: Part; filter: F }) => Promise<Children<T>>;
  count: (ctx: Ctx, keys: string[], filter: F) => Promise<Map<string, number>>;
  /** A cursor holds below every parent. */
  cursors: (ctx: Ctx, filter: F) => Cursors;
}

/** A list below any number of parents. `idOf` gives the id of the parent's document, if it is not the key itself. */
export const childList = <D, F, T extends { _id: string }>(options: {
  name: string;
  branch: (ctx: Ctx, filter: F) => Branch<D>;
  show: (ctx: Ctx, docs: D[]) => T[] | Promise<T[]>;
  idOf?: (key: string) => string;
}): ChildList<F, T> => {
  const { name, branch, show, idOf = (key: string) => key } = options;
  const idsOf = (keys: string[]): string[] => [...new Set(keys.map(idOf))];
  const cursors: ChildList<F, T>['cursors'] = (ctx, filter) => cursorsOf([name, filter], branch(ctx, filter).order);
  return {
    cursors,
    page: async (ctx, keys, { part: { limit, after }, filter }) => {
      const window = { limit, beyond: cursors(ctx, filter).beyond({ after }) };
      return toChildren(await readChildren(branch(ctx, filter), idsOf(keys), window), (docs) => show(ctx, docs));
    },
    count: (ctx, keys, filter) => countChildren(branch(ctx, filter), idsOf(keys)),
  };
};
