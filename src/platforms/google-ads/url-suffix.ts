import type { UrlParameter } from '../../contract/url-parameters.ts';
import type { Access, AdRef } from '../platform.ts';
import { parametersIn, urlQuery, type MacrosOf } from '../url-parameters.ts';
import type { Client } from './client.ts';
import { adOnlyName } from './wire.ts';

const macros: MacrosOf<'B'> = {
  campaignId: '{campaignid}',
  adSetId: '{adgroupid}',
  adId: '{creative}',
  placement: '{placement}',
};

/** Of the ad, so that other ads of its campaign keep theirs. */
export const suffixOf = (parameters: UrlParameter[] | undefined): string | undefined => urlQuery(parameters, macros);

export const parametersOf = (suffix = ''): UrlParameter[] => parametersIn(suffix, macros);

export async function setUrlParameters(
  client: Client,
  access: Access,
  { adAccount, adId }: AdRef,
  parameters: UrlParameter[],
): Promise<void> {
  const resourceName = adOnlyName(adAccount.id, adId.split('~').at(-1) ?? adId);
  const update = { resourceName, finalUrlSuffix: suffixOf(parameters) };
  const operations = [{ body: { adOperation: { update, updateMask: 'finalUrlSuffix' } }, field: 'urlParameters' }];
  await client.mutate(access, adAccount, { operations, isRepeatable: true });
}
