import { segment } from '../../lib/segment.ts';
import { PlatformError } from '../error.ts';
import type { MediaSource } from '../media.ts';
import type { CreatedAd, CreatedAds, Creating } from '../platform.ts';
import { newAd } from '../effective-status.ts';
import { isRecent } from '../poll.ts';
import { recordedStart } from '../start.ts';
import { adGroupFields, campaignFields, type Parent } from './ad-group.ts';
import { boardFor, createPin, requireImage } from './board.ts';
import type { Client, Fields } from './client.ts';
import { planGoal } from './goals.ts';
import { linkOf } from './link.ts';
import { localesOf } from './locales.ts';
import { statusOf } from './status.ts';
import { Ad, AdGroup, Campaign, fromSeconds } from './wire.ts';

export interface CreateContext extends Creating<Client> {
  media: MediaSource;
}

export interface CreateSettings {
  conversionObjective: string;
}

/**
 * Creates campaign, ad group, board, pin and ad; activates the campaign last, so that an incomplete ad never spends.
 * The pin is public, so it follows the objects that the platform may reject.
 */
export async function createAds(cascade: CreateContext, { conversionObjective }: CreateSettings): Promise<CreatedAds> {
  const { access, order, journal } = cascade;
  const { goal, adAccount, names, input } = order;
  if (!goal) throw new PlatformError('C', 'rejected', 'goal is required');
  const plan = planGoal(goal, input, conversionObjective);
  // Built before anything is sent, so that an invalid amount fails here.
  adGroupFields(order, plan, { campaignId: '', isUnoptimized: true });
  const locales = await localesOf(cascade.client, access, input);
  if (!journal.isBegun) await requireImage(cascade);
  const account = `ad_accounts/${segment(adAccount.id)}`;
  const campaignId = await create(cascade, {
    step: 'campaign',
    path: `${account}/campaigns`,
    fields: campaignFields(order, plan, access.clock.now()),
    startDate: recordedStart(order, access.clock.now()),
    query: {},
  });
  const adGroupId = await create(cascade, {
    step: 'adSet',
    path: `${account}/ad_groups`,
    fields: adGroupFields(order, plan, { ...(await parentOf(cascade, campaignId)), locales }),
    query: { campaign_ids: campaignId },
  });
  const pinId = await createPin(cascade, await boardFor(cascade));
  const adId = await create(cascade, {
    step: 'ad.0',
    path: `${account}/ads`,
    fields: {
      ad_group_id: adGroupId,
      pin_id: pinId,
      creative_type: 'REGULAR',
      name: names.ads[0],
      status: 'ACTIVE',
      destination_url: linkOf(input),
    },
    query: { ad_group_ids: adGroupId },
  });
  if (input.status !== 'PAUSED') await activate(cascade, campaignId);
  return {
    platformCampaignId: campaignId,
    platformAdSetId: adGroupId,
    campaignName: names.campaign,
    adSetName: names.adSet,
    ads: [await readStatus(cascade, adId)],
  };
}

/** An interrupted order may have created its campaign without campaign budget optimization. */
async function parentOf({ client, access, order, journal }: CreateContext, campaignId: string): Promise<Parent> {
  if (!journal.isBegun || journal.dryRun) return { campaignId };
  const path = `ad_accounts/${segment(order.adAccount.id)}/campaigns/${segment(campaignId)}`;
  const campaign = await client.read(access, path, { schema: Campaign });
  return { campaignId, isUnoptimized: campaign.is_campaign_budget_optimization === false };
}

interface Creation {
  step: string;
  path: string;
  fields: Fields;
  startDate?: Date;
  /** Narrows the list that is searched. */
  query: Record<string, string>;
}

const create = (
  { client, access, order, journal }: CreateContext,
  { step, path, fields, startDate, query }: Creation,
): Promise<string> =>
  journal.run({
    name: step,
    request: client.showElement(path, fields),
    startDate,
    send: () => client.create(access, path, fields),
    find: async () => {
      const statuses = { entity_statuses: ['ACTIVE', 'PAUSED', 'ARCHIVED'] };
      const item = Campaign.or(AdGroup).or(Ad);
      for await (const page of client.pages(access, path, { item, query: { ...query, ...statuses } })) {
        const found = page.find((one) => one.name === fields['name'] && isRecent(fromSeconds(one.created_time), order));
        if (found) return found.id;
      }
      return undefined;
    },
  });

/** Activation is idempotent, so it is resent after a lost response. */
async function activate({ client, access, order, journal }: CreateContext, campaignId: string): Promise<void> {
  const path = `ad_accounts/${segment(order.adAccount.id)}/campaigns`;
  const fields = { ad_account_id: order.adAccount.id, id: campaignId, status: 'ACTIVE' };
  const send = async (): Promise<string> => {
    await client.change(access, path, fields);
    return campaignId;
  };
  const request = { ...client.showElement(path, fields), method: 'PATCH' };
  await journal.run({ name: 'activate', request, send, find: send });
}

const readStatus = (cascade: CreateContext, adId: string): Promise<CreatedAd> => {
  const { client, access, order } = cascade;
  return newAd(cascade, adId, async () => {
    const ad = await client.read(access, `ad_accounts/${segment(order.adAccount.id)}/ads/${segment(adId)}`, {
      schema: Ad,
    });
    return statusOf(ad, order.input.status);
  });
};
