import type { Ad } from '../../contract/ad.ts';
import type { AdSet } from '../../contract/campaign.ts';
import type { AdSetDoc } from '../../models/ad-set.ts';
import type { AdDoc } from '../../models/ad.ts';
import { withCurrency } from '../ads/currency.ts';
import { toAd } from '../ads/to-ad.ts';
import type { Services } from '../context.ts';
import { toAdSet } from './to-campaign.ts';

/** A page of each parent's children, newest first. */
export interface Part {
  skip: number;
  /** If absent, all children. */
  limit?: number;
}

/** The requested page of each parent's children. */
export type Children<T> = Map<string, T[]>;

interface Parent<T> {
  _id: string;
  below: T[];
}

/** Each parent with its own page of children, in index order: one query for all parents. */
const joined = (parents: string[], child: { from: string; by: string; order: object; hidden?: object }, part: Part) => [
  { $match: { _id: { $in: parents } } },
  { $project: { _id: 1 } },
  {
    $lookup: {
      from: child.from,
      localField: '_id',
      foreignField: child.by,
      as: 'below',
      pipeline: [
        { $sort: child.order },
        ...(part.skip > 0 ? [{ $skip: part.skip }] : []),
        ...(part.limit === undefined ? [] : [{ $limit: part.limit }]),
        ...(child.hidden ? [{ $project: child.hidden }] : []),
      ],
    },
  },
];

/** The children of all parents as callers see them; one query adds missing currencies. */
async function toChildren<D extends AdDoc | AdSetDoc, T>(
  db: Services['db'],
  found: Parent<D>[],
  show: (doc: D) => T,
): Promise<Children<T>> {
  const filled = await withCurrency(
    { db },
    found.flatMap(({ below }) => below),
  );
  let at = 0;
  return new Map(found.map(({ _id, below }) => [_id, filled.slice(at, (at += below.length)).map(show)]));
}

/** One request for all parents. */
const whole = (parents: string[]): object => ({ batchSize: parents.length });

/** The ad sets of any number of campaigns. */
export async function adSetsOf(
  { db }: Pick<Services, 'db'>,
  campaigns: string[],
  part: Part,
): Promise<Children<AdSet>> {
  const child = { from: db.adSets.collection.name, by: 'campaignRef', order: { createdAt: -1, _id: -1 } };
  const found = await db.campaigns.aggregate<Parent<AdSetDoc>>(
    joined(campaigns, child, part) as never,
    whole(campaigns),
  );
  return toChildren(db, found, toAdSet);
}

/** The ads of any number of ad sets. */
export async function adsOf({ db }: Pick<Services, 'db'>, adSets: string[], part: Part): Promise<Children<Ad>> {
  const hidden = { order: 0, steps: 0, pendingEvents: 0 };
  const child = { from: db.ads.collection.name, by: 'adSetRef', order: { _id: -1 }, hidden };
  const found = await db.adSets.aggregate<Parent<AdDoc>>(joined(adSets, child, part) as never, whole(adSets));
  return toChildren(db, found, toAd);
}
