/** A filter that finds a document if there may be something to do. */
export interface WorkQuery {
  source: WorkSource;
  filter: object;
}

export interface WorkSource {
  collection: { collectionName: string };
  aggregate(stages: object[]): PromiseLike<unknown[]>;
}

const branchOf = ({ filter }: WorkQuery, kind: number): object[] => [
  { $match: filter },
  { $limit: 1 },
  { $project: { _id: 0, kind: { $literal: kind } } },
];

/** Asks, with one command, which kinds of work have a query that finds a document. */
export async function findWork(kinds: WorkQuery[][]): Promise<boolean[]> {
  const [first, ...others] = kinds.flatMap((queries, kind) => queries.map((query) => ({ query, kind })));
  if (!first) return kinds.map(() => false);
  const found = (await first.query.source.aggregate([
    ...branchOf(first.query, first.kind),
    ...others.map(({ query, kind }) => ({
      $unionWith: { coll: query.source.collection.collectionName, pipeline: branchOf(query, kind) },
    })),
  ])) as { kind: number }[];
  const withWork = new Set(found.map(({ kind }) => kind));
  return kinds.map((_, kind) => withWork.has(kind));
}
