import { createHash } from 'node:crypto';
import { PlatformError } from '../error.ts';
import type { MediaSource } from '../media.ts';
import type { Access, AdOrder, CreatedAd, CreatedAds, Creating, Journal } from '../platform.ts';
import { newAd } from '../effective-status.ts';
import { pollUntil } from '../poll.ts';
import { startAfter } from '../start.ts';
import { adGroupFields, languageCodesOf, locationIds } from './ad-group.ts';
import type { Client, Fields } from './client.ts';
import { industryFields } from './declarations.ts';
import { codes } from './errors.ts';
import { createFinder, type Finder } from './find.ts';
import { buttons, planGoal } from './goals.ts';
import { adapterFor, type AdIdentity } from './identity.ts';
import { linkOf } from './link.ts';
import { campaignBudget } from './order-budget.ts';
import { statusOf } from './status.ts';
import { requireClip, uploadClip, type Clip } from './video.ts';
import { Ad, CreatedAdGroup, AdIds, CreatedCampaign, Nothing, plainName } from './wire.ts';

export interface CreateContext extends Creating<Client> {
  media: MediaSource;
  find: Finder;
}

const transcodingTimeoutMs = 120_000;

/**
 * Creates media, identity, campaign, ad group and ad; activates the campaign last, so that an incomplete ad never
 * spends.
 */
export async function createAds(
  { client, media }: { client: Client; media: MediaSource },
  access: Access,
  placed: AdOrder,
  journal: Journal,
): Promise<CreatedAds> {
  const order = { ...placed, names: plainNames(placed.names) };
  const cascade: CreateContext = { client, access, order, journal, media, find: createFinder(client, access, order) };
  const { goal, adAccount, names, input } = order;
  if (!goal) throw new PlatformError('D', 'rejected', 'goal is required');
  const plan = planGoal(goal, input);
  const locations = await locationIds(client, access, order, plan);
  const languages = await languageCodesOf(client, access, order);
  if (!journal.isBegun) await requireClip(cascade);
  const identity = await adapterFor(cascade);
  const clip = await uploadClip(cascade);
  const campaign = {
    advertiser_id: adAccount.id,
    campaign_name: names.campaign,
    ...campaignBudget(order),
    operation_status: 'DISABLE',
    ...plan.campaign,
    ...industryFields(input),
    request_id: requestId(`${names.campaign} campaign`),
  };
  const campaignId = await journal.run({
    name: 'campaign',
    request: client.show('campaign/create', campaign),
    send: async () =>
      (await client.write(access, 'campaign/create', { schema: CreatedCampaign, fields: campaign })).campaign_id,
    find: () => cascade.find.campaign(names.campaign),
  });
  const start = startAfter(order, access.clock.now());
  const group = {
    ...adGroupFields(order, plan, { campaignId, locations, languages, start }),
    request_id: requestId(`${names.adSet} adgroup`),
  };
  const adGroupId = await journal.run({
    name: 'adSet',
    request: client.show('adgroup/create', group),
    startDate: start,
    send: async () =>
      (await client.write(access, 'adgroup/create', { schema: CreatedAdGroup, fields: group })).adgroup_id,
    find: () => cascade.find.adGroup(campaignId, names.adSet),
  });
  const adId = await createAd(cascade, adGroupId, adFields(order, identity, clip));
  if (input.status !== 'PAUSED') await activate(cascade, campaignId);
  return {
    platformCampaignId: campaignId,
    platformAdSetId: adGroupId,
    campaignName: names.campaign,
    adSetName: names.adSet,
    ads: [await readStatus(cascade, adId)],
  };
}

const plainNames = ({ campaign, adSet, ads }: AdOrder['names']): AdOrder['names'] => ({
  campaign: plainName(campaign),
  adSet: plainName(adSet),
  ads: ads.map(plainName),
});

const adFields = ({ input, names }: AdOrder, identity: AdIdentity, clip: Clip): Fields => ({
  ad_name: names.ads[0],
  ...identity,
  ad_format: 'SINGLE_VIDEO',
  video_id: clip.videoId,
  image_ids: [clip.coverId],
  ad_text: input.body,
  call_to_action: buttons[input.callToAction ?? 'LEARN_MORE'] ?? 'LEARN_MORE',
  landing_page_url: linkOf(input),
  ...(input.promotedObject?.leadFormId && { page_id: input.promotedObject.leadFormId }),
  operation_status: 'ENABLE',
});

/** A new video may still be processing: the platform then accepts the ad a little later. */
async function createAd(
  { client, access, order, journal, find }: CreateContext,
  adGroupId: string,
  creative: Fields,
): Promise<string> {
  const fields = { advertiser_id: order.adAccount.id, adgroup_id: adGroupId, creatives: [creative] };
  const name = order.names.ads[0] ?? order.names.campaign;
  const attempt = async (): Promise<string | undefined> => {
    try {
      const [adId] = await client.write(access, 'ad/create', { schema: AdIds, fields });
      return adId;
    } catch (error) {
      if (error instanceof PlatformError && error.upstream.code === codes.transcoding) return undefined;
      throw error;
    }
  };
  return journal.run({
    name: 'ad.0',
    request: client.show('ad/create', fields),
    send: async () => {
      const adId = await pollUntil(attempt, transcodingTimeoutMs);
      if (adId !== undefined) return adId;
      throw new PlatformError('D', 'unavailable', 'The platform is still processing the video; retry to continue');
    },
    find: () => find.ad(adGroupId, name),
  });
}

/** Activation is idempotent, so it is resent after a lost response. */
async function activate({ client, access, order, journal }: CreateContext, campaignId: string): Promise<void> {
  const path = 'campaign/status/update';
  const fields = { advertiser_id: order.adAccount.id, campaign_ids: [campaignId], operation_status: 'ENABLE' };
  const send = async (): Promise<string> => {
    await client.write(access, path, { schema: Nothing, fields, isRepeatable: true });
    return campaignId;
  };
  await journal.run({ name: 'activate', request: client.show(path, fields), send, find: send });
}

const readStatus = (cascade: CreateContext, adId: string): Promise<CreatedAd> => {
  const { client, access, order } = cascade;
  return newAd(cascade, adId, async () => {
    const query = { advertiser_id: order.adAccount.id, filtering: { ad_ids: [adId] } };
    for await (const [ad] of client.pages(access, 'ad/get', { item: Ad, query, pageSize: 10 })) {
      if (ad) return statusOf(ad);
    }
    return undefined;
  });
};

/** The platform deduplicates request ids for some seconds; ours is derived from the step, so a retry reuses it. */
export const requestId = (step: string): string =>
  (createHash('sha256').update(step).digest().readBigUInt64BE() >> 1n).toString();
