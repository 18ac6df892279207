import type { Access, AdAccount, FoundCampaign, Located } from './platform.ts';
import { unlessMissing } from './error.ts';

type FoundIn = Omit<Located, 'adAccount'>;

/** How an adapter reads one object of an ad account; undefined if it is missing or removed. */
export interface Reads {
  /** The format of ids; others cannot exist. */
  id: RegExp;
  campaign: (access: Access, adAccount: AdAccount, campaignId: string) => Promise<FoundCampaign | undefined>;
  adSet: (access: Access, adAccount: AdAccount, adSetId: string) => Promise<Required<FoundIn> | undefined>;
}

export interface Locator {
  findCampaign: (access: Access, adAccounts: AdAccount[], campaignId: string) => Promise<Located | undefined>;
  findAdSet: (access: Access, adAccounts: AdAccount[], adSetId: string) => Promise<Located | undefined>;
}

export const createLocator = ({ id: format, ...reads }: Reads): Locator => ({
  findCampaign: async (access, adAccounts, id) =>
    format.test(id)
      ? locate(adAccounts, async (adAccount) => {
          const campaign = await reads.campaign(access, adAccount, id);
          return campaign && { campaign };
        })
      : undefined,
  findAdSet: async (access, adAccounts, id) =>
    format.test(id) ? locate(adAccounts, (adAccount) => reads.adSet(access, adAccount, id)) : undefined,
});

/** Looks in all ad accounts at once. A failure matters only if no other ad account contains the object. */
async function locate(
  adAccounts: AdAccount[],
  look: (adAccount: AdAccount) => Promise<FoundIn | undefined>,
): Promise<Located | undefined> {
  const looks = adAccounts.map(async (adAccount): Promise<Located | undefined> => {
    const found = await unlessMissing(look(adAccount));
    return found && { adAccount, ...found };
  });
  const results = await Promise.allSettled(looks);
  for (const result of results) if (result.status === 'fulfilled' && result.value) return result.value;
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return undefined;
}
