import type { FoundPage, ReadProblem } from '../../platforms/platform.ts';
import { adSetRefOf, campaignRefOf } from '../campaigns/ids.ts';
import type { Services } from '../context.ts';
import type { PageScope } from './scope.ts';

/** Marks existing objects that cannot be parsed as seen, so that they are not taken for deleted. */
export async function stampUnread(
  { db }: Services,
  { account, startedAt }: PageScope,
  { problems = [], unplacedAds = [] }: FoundPage,
): Promise<void> {
  const idsOf = (type: ReadProblem['objectType']): string[] =>
    problems.flatMap(({ objectType, platformId, isSkipped }) =>
      isSkipped && objectType === type && platformId !== null ? [platformId] : [],
    );
  const accountId = account._id;
  const campaigns = idsOf('campaign').map((id) => campaignRefOf(accountId, id));
  const adSets = idsOf('ad_set').map((id) => adSetRefOf(accountId, id));
  const ads = [...idsOf('ad'), ...unplacedAds];
  const update = { $max: { seenAt: startedAt } };
  if (campaigns.length > 0) await db.campaigns.updateMany({ _id: { $in: campaigns } }, update);
  if (adSets.length > 0) await db.adSets.updateMany({ _id: { $in: adSets } }, update);
  if (ads.length > 0) await db.ads.updateMany({ accountId, platformAdId: { $in: ads } }, update);
}
