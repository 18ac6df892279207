import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { UrlParameter } from '../../contract/url-parameters.ts';
import { macrosIn } from '../../lib/link-parameters.ts';
import { unlessMissing } from '../error.ts';
import type { Access } from '../platform.ts';
import type { MacrosOf } from '../url-parameters.ts';
import type { Client, Fields } from './client.ts';
import type { CreateContext } from './create-ads.ts';
import { urn, urnIn } from './restli.ts';

/** A campaign of this service is a campaign group of the platform, and its ad set a campaign. */
const macros: MacrosOf<'F'> = {
  campaignId: 'CAMPAIGN_GROUP_ID',
  campaignName: 'CAMPAIGN_GROUP_NAME',
  adSetId: 'CAMPAIGN_ID',
  adSetName: 'CAMPAIGN_NAME',
  adId: 'CREATIVE_ID',
  adName: 'CREATIVE_NAME',
};

const Texts = z.record(z.string(), z.string()).default({});
const Tracking = z.object({ dynamicValueParameters: Texts, customValueParameters: Texts });

const pathOf = (campaignId: string): string =>
  `adTrackingParameters/(adEntity:(sponsoredCampaign:${urnIn(urn('sponsoredCampaign', campaignId))}))`;

/** The platform replaces whole values, and takes the others as text. */
function fieldsOf(parameters: UrlParameter[]): Fields {
  const texts = parameters.map(({ key, value }) => {
    const word = macros[macrosIn(value)[0] as keyof typeof macros] as string | undefined;
    return { key, value: word ?? value, isDynamic: word !== undefined };
  });
  // Keys are any words, also `__proto__`.
  const among = (dynamic: boolean): Fields =>
    Object.fromEntries(texts.filter(({ isDynamic }) => isDynamic === dynamic).map(({ key, value }) => [key, value]));
  return { dynamicValueParameters: among(true), customValueParameters: among(false) };
}

export async function setUrlParameters(
  client: Client,
  access: Access,
  campaignId: string,
  parameters: UrlParameter[],
): Promise<void> {
  await client.put(access, pathOf(campaignId), { fields: fieldsOf(parameters) });
}

/** Adds the parameters to the links of the campaign before it is activated. The write replaces them all, so it is repeatable. */
export async function track({ client, access, order, journal }: CreateContext, campaignId: string): Promise<void> {
  const { urlParameters } = order.input;
  if (!urlParameters) return;
  const path = pathOf(campaignId);
  const fields = fieldsOf(urlParameters);
  const send = async (): Promise<string> => {
    await client.put(access, path, { fields });
    return campaignId;
  };
  const find = async (): Promise<string | undefined> => {
    const found = await unlessMissing(client.read(access, path, Tracking));
    return isDeepStrictEqual(found, fields) ? campaignId : undefined;
  };
  await journal.run({ name: 'tracking', request: client.show(path, fields, 'PUT'), send, find, again: send });
}
