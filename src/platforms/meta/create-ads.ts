import { segment } from '../../lib/segment.ts';
import { PlatformError } from '../error.ts';
import type { Access, AdOrder, CreatedAds, Creating, Journal } from '../platform.ts';
import { readAdStatuses } from './status.ts';
import { requireAdSet, type ParentSet } from './parent-ad-set.ts';
import type { Client } from './client.ts';
import { createFinder, type Finder } from './find.ts';
import { planGoal } from './goals.ts';
import { localesOf } from './locales.ts';
import { recordedStart } from '../start.ts';
import { uploadVideo } from './video.ts';
import {
  actOf,
  adFields,
  adSetFieldsOf,
  campaignFields,
  Changed,
  Created,
  creativeFields,
  creativesOf,
  type Fields,
} from './wire.ts';

export interface CreateContext extends Creating<Client> {
  find: Finder;
}

/**
 * Creates campaign, ad set, creatives and ads; activates the campaign last, so that an incomplete ad never spends.
 */
export async function createAds(client: Client, access: Access, order: AdOrder, journal: Journal): Promise<CreatedAds> {
  const cascade: CreateContext = { client, access, order, journal, find: createFinder(client, access, order) };
  const { adSetId } = order.input;
  if (adSetId) return attach(cascade, await requireAdSet(client, access, { order, isBegun: journal.isBegun ?? false }));
  if (!order.goal) throw new PlatformError('A', 'rejected', 'goal is required for an ad with its own campaign');
  const plan = planGoal(order.goal, order.input, access.pageId);
  const { names } = order;
  const locales = await localesOf(client, access, order.input);
  const act = actOf(order.adAccount.id);
  const campaignId = await create(cascade, {
    name: 'campaign',
    path: `${act}/campaigns`,
    fields: campaignFields(order, plan),
    find: () => cascade.find.campaign(names.campaign),
  });
  const adSet = await create(cascade, {
    name: 'adSet',
    path: `${act}/adsets`,
    fields: adSetFieldsOf(order, plan, { campaignId, access, locales }),
    startDate: recordedStart(order, access.clock.now()),
    find: () => cascade.find.child(campaignId, 'adsets', names.adSet),
  });
  const adIds = await createEach(cascade, adSet, 'ACTIVE');
  if (order.input.status !== 'PAUSED') await activate(cascade, campaignId);
  return {
    platformCampaignId: campaignId,
    platformAdSetId: adSet,
    campaignName: names.campaign,
    adSetName: names.adSet,
    ads: await readAdStatuses(cascade, adSet, adIds),
  };
}

async function attach(cascade: CreateContext, parent: ParentSet): Promise<CreatedAds> {
  const adIds = await createEach(cascade, parent.adSetId, cascade.order.input.status);
  return {
    platformCampaignId: parent.campaignId,
    platformAdSetId: parent.adSetId,
    campaignName: parent.campaignName,
    adSetName: parent.adSetName,
    inherited: parent.inherited,
    ads: await readAdStatuses(cascade, parent.adSetId, adIds),
  };
}

/** Creates a creative and an ad per entry, one at a time: the platform permits one write at a time per ad account. */
async function createEach(cascade: CreateContext, adSetId: string, status: string): Promise<string[]> {
  const { access, order, find } = cascade;
  const act = actOf(order.adAccount.id);
  const adIds: string[] = [];
  for (const [index, parts] of creativesOf(order.input).entries()) {
    const name = order.names.ads[index] ?? order.names.campaign;
    const videoId = parts.video && (await uploadVideo(cascade, { index, name, url: parts.video.url }));
    const creativeId = await create(cascade, {
      name: `creative.${index}`,
      path: `${act}/adcreatives`,
      fields: creativeFields(name, parts, { access, videoId, input: order.input }),
      find: () => find.creative(name),
    });
    const adId = await create(cascade, {
      name: `ad.${index}`,
      path: `${act}/ads`,
      fields: adFields(name, { adSetId, creativeId, status }),
      find: () => find.child(adSetId, 'ads', name),
    });
    adIds.push(adId);
  }
  return adIds;
}

interface Creation {
  name: string;
  path: string;
  fields: Fields;
  startDate?: Date;
  find: () => Promise<string | undefined>;
}

const create = ({ client, access, journal }: CreateContext, { path, fields, ...step }: Creation): Promise<string> =>
  journal.run({
    ...step,
    request: client.show(path, fields),
    send: async () => (await client.write(access, path, { schema: Created, fields })).id,
  });

/** Activation is idempotent, so it is resent after a lost response. */
async function activate({ client, access, journal }: CreateContext, campaignId: string): Promise<void> {
  const fields = { status: 'ACTIVE' };
  const send = async (): Promise<string> => {
    await client.write(access, segment(campaignId), { schema: Changed, fields });
    return campaignId;
  };
  await journal.run({ name: 'activate', request: client.show(campaignId, fields), send, find: send });
}
