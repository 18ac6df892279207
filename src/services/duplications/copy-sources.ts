import type { DuplicationDoc } from '../../models/duplication.ts';
import type { Copied } from '../../platforms/platform.ts';
import { adSetRefOf, campaignRefOf } from '../campaigns/ids.ts';
import type { Services } from '../context.ts';

/** Returns the records of the sources, whose fields the copies inherit. */
export async function sourcesOf({ db }: Services, doc: DuplicationDoc, setIds: string[], ads: Copied[]) {
  const { accountId } = doc;
  const [campaign, storedSets, storedAds] = await Promise.all([
    db.campaigns.findOne({ _id: campaignRefOf(accountId, doc.sourceCampaignId) }).lean(),
    db.adSets.find({ _id: { $in: setIds.map((id) => adSetRefOf(accountId, id)) } }).lean(),
    db.ads
      .find(
        { accountId, platformAdId: { $in: ads.map(({ sourceId }) => sourceId) } },
        { platformAdId: 1, name: 1, naming: 1, isExternal: 1, goal: 1, settings: 1, creative: 1, adType: 1 },
      )
      .lean(),
  ]);
  return {
    campaign,
    adSets: new Map(storedSets.map((adSet) => [adSet.platformAdSetId, adSet])),
    ads: new Map(storedAds.map((ad) => [ad.platformAdId ?? '', ad])),
  };
}
