import { segment } from '../../lib/segment.ts';
import { PlatformError } from '../error.ts';
import type { MediaSource } from '../media.ts';
import type { Access, AdOrder, CreatedAd, CreatedAds, Creating } from '../platform.ts';
import { newAd } from '../effective-status.ts';
import { campaignFields, creativeFields, groupFields, postFields, startOf } from './fields.ts';
import type { Client, Fields } from './client.ts';
import { createFinder, type Finder } from './find.ts';
import { planGoal } from './goals.ts';
import { uploadMedia } from './media.ts';
import { geosOf } from './places.ts';
import { requireBid } from './pricing.ts';
import { urn, urnIn } from './restli.ts';
import { statusOf } from './status.ts';
import { track } from './tracking.ts';
import { Creative } from './wire.ts';

export interface CreateContext extends Creating<Client> {
  media: MediaSource;
  find: Finder;
  /** The ad account's path. */
  account: string;
}

/** Creates media, post, group, campaign and creative; activates the group last so that an incomplete ad never spends. */
export async function createAds(given: Omit<CreateContext, 'find' | 'account'>): Promise<CreatedAds> {
  const { client, access, order, journal } = given;
  const { goal, adAccount, names, input } = order;
  const cascade: CreateContext = {
    ...given,
    account: `adAccounts/${segment(adAccount.id)}`,
    find: createFinder(client, access, order),
  };
  if (!goal) throw new PlatformError('F', 'rejected', 'goal is required');
  const plan = planGoal(goal);
  const organization = organizationOf(order, access);
  const [geos, excludedGeos] = await Promise.all([
    geosOf(client, access, input.countries ?? ['US']),
    geosOf(client, access, input.excludedCountries ?? [], 'excludedCountries'),
  ]);
  if (!journal.isBegun && !journal.dryRun) await requireBid(client, access, { order, geos });
  const mediaUrn = await uploadMedia(cascade, organization);
  const postUrn = await create(cascade, {
    step: 'post.0',
    path: 'posts',
    fields: postFields(order, organization, mediaUrn),
    find: () => cascade.find.post(names.ads[0] ?? ''),
  });
  const groupId = await create(cascade, {
    step: 'campaign',
    path: `${cascade.account}/adCampaignGroups`,
    fields: groupFields(order, plan, startOf(order, access.clock)),
    find: () => cascade.find.group(names.campaign),
  });
  const start = startOf(order, access.clock);
  const campaignId = await create(cascade, {
    step: 'adSet',
    path: `${cascade.account}/adCampaigns`,
    fields: campaignFields(order, plan, { organization, groupId, places: { geos, excludedGeos }, start }),
    startDate: start,
    find: () => cascade.find.campaign(groupId, names.adSet),
  });
  const creativeUrn = await create(cascade, {
    step: 'ad.0',
    path: `${cascade.account}/creatives`,
    fields: creativeFields(order, campaignId, postUrn),
    find: () => cascade.find.creative(campaignId, names.ads[0] ?? ''),
  });
  await countConversions(cascade, campaignId);
  await track(cascade, campaignId);
  await change(cascade, 'activateSet', `${cascade.account}/adCampaigns/${segment(campaignId)}`);
  if (input.status !== 'PAUSED')
    await change(cascade, 'activate', `${cascade.account}/adCampaignGroups/${segment(groupId)}`);
  return {
    platformCampaignId: groupId,
    platformAdSetId: campaignId,
    campaignName: names.campaign,
    adSetName: names.adSet,
    ads: [await readStatus(cascade, creativeUrn)],
  };
}

/** The part of the platform's validation that its read-only resources can answer. */
export async function validateAds(client: Client, access: Access, order: AdOrder): Promise<void> {
  await requireBid(client, access, { order, geos: await geosOf(client, access, order.input.countries ?? ['US']) });
}

/** The caller's page, else the connected page, else the ad account's. */
function organizationOf({ input, adAccount }: AdOrder, { pageId }: Access): string {
  const id = input.organizationId ?? pageId ?? adAccount.organizationId;
  if (id) return urn('organization', id);
  const message = 'is required: neither account is a company page';
  throw new PlatformError('F', 'rejected', `organizationId ${message}`, { fields: { organizationId: [message] } });
}

interface Creation {
  step: string;
  path: string;
  fields: Fields;
  startDate?: Date;
  find: () => Promise<string | undefined>;
}

const create = (
  { client, access, journal }: CreateContext,
  { step, path, fields, startDate, find }: Creation,
): Promise<string> =>
  journal.run({
    name: step,
    request: client.show(path, fields),
    startDate,
    send: () => client.create(access, path, fields),
    find,
  });

/** Associates conversions with the campaign before activation. */
async function countConversions({ client, access, order, journal }: CreateContext, campaignId: string): Promise<void> {
  const { goal, input } = order;
  const conversionId = input.promotedObject?.customConversionId;
  if (goal !== 'conversions' || !conversionId) return;
  const campaign = urn('sponsoredCampaign', campaignId);
  const conversion = conversionId.startsWith('urn:') ? conversionId : `urn:lla:llaPartnerConversion:${conversionId}`;
  const path = `campaignConversions/(campaign:${urnIn(campaign)},conversion:${urnIn(conversion)})`;
  const fields = { campaign, conversion };
  const send = async (): Promise<string> => {
    await client.put(access, path, { fields });
    return conversionId;
  };
  await journal.run({ name: 'conversion', request: client.show(path, fields, 'PUT'), send, again: send });
}

/** Activation is idempotent, so it is resent after a lost response. */
async function change({ client, access, journal }: CreateContext, step: string, path: string): Promise<void> {
  const fields = { status: 'ACTIVE' };
  const send = async (): Promise<string> => {
    await client.patch(access, path, fields);
    return path.split('/').at(-1) ?? '';
  };
  const request = client.show(path, { patch: { $set: fields } });
  await journal.run({ name: step, request, send, find: send });
}

const readStatus = (cascade: CreateContext, id: string): Promise<CreatedAd> => {
  const { client, access, account } = cascade;
  const path = `${account}/creatives/${urnIn(id)}`;
  return newAd(cascade, id, async () => statusOf(await client.read(access, path, Creative)));
};
