import { z } from 'zod';
import { PlatformError } from '../error.ts';
import type { Access, AdOrder, CreatedAds } from '../platform.ts';
import { tolerant } from '../tolerant.ts';
import type { Client } from './client.ts';
import { AdSet, Campaign, fieldsOf, toAdSet, toCampaign } from './discover.ts';

const ParentWire = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  account_id: z.string(),
  campaign_id: z.string(),
  effective_status: z.string().optional(),
  status: z.string().optional(),
  end_time: z.string().optional(),
  is_dynamic_creative: z.boolean().optional(),
  campaign: z.looseObject({ name: z.string().optional(), objective: z.string().optional() }).optional(),
});
const fields = `${fieldsOf(AdSet)},account_id,is_dynamic_creative,campaign{${fieldsOf(Campaign)}}`;

/** What it inherits does not decide whether an ad can be attached, so an unreadable field of it is left out. */
const AdSetTerms = tolerant<z.infer<typeof AdSet>>(AdSet as never, { objectType: 'ad_set', idAt: ['id'] });
const CampaignTerms = tolerant<z.infer<typeof Campaign>>(Campaign as never, { objectType: 'campaign', idAt: ['id'] });

export interface ParentSet {
  adSetId: string;
  adSetName?: string;
  campaignId: string;
  campaignName?: string;
  inherited: CreatedAds['inherited'];
}

/**
 * Reads the parent ad set of a new ad and rejects one that cannot contain it. A resumed order accepts an ended one.
 */
export async function requireAdSet(
  client: Client,
  access: Access,
  { order, isBegun }: { order: AdOrder; isBegun: boolean },
): Promise<ParentSet> {
  const adSetId = order.input.adSetId ?? '';
  // Anything else would alter the path of the request.
  if (!/^\d+$/.test(adSetId)) throw unknownSet(adSetId);
  const set = await client.read(access, adSetId, { schema: ParentWire, query: { fields } }).catch((error: unknown) => {
    // For the caller this is an invalid field, not a missing endpoint.
    if (error instanceof PlatformError && error.fault === 'not_found' && !isBegun) throw unknownSet(adSetId);
    throw error;
  });
  if (set.account_id !== order.adAccount.id.replace(/^act_/, ''))
    throw refused('The ad set belongs to another ad account');
  if (!isBegun) requireOpen(set, access.clock.now());
  return {
    adSetId: set.id,
    adSetName: set.name,
    campaignId: set.campaign_id,
    campaignName: set.campaign?.name,
    inherited: termsOf(set, order.adAccount.currency),
  };
}

function termsOf(set: z.infer<typeof ParentWire>, currency: string): CreatedAds['inherited'] {
  const { value: adSet } = AdSetTerms.parse(set);
  const { value: campaign } = CampaignTerms.parse(set.campaign);
  return (
    adSet && {
      adSet: toAdSet(adSet, set.campaign?.objective, currency),
      ...(campaign && { campaign: toCampaign(campaign, currency) }),
    }
  );
}

function requireOpen(set: z.infer<typeof ParentWire>, now: Date): void {
  const gone = [set.status, set.effective_status].find((state) => state === 'DELETED' || state === 'ARCHIVED');
  if (gone) throw refused(`The ad set is ${gone.toLowerCase()}`);
  if (hasEnded(set.end_time, now)) throw refused(`The ad set ended at ${set.end_time}`);
  if (set.is_dynamic_creative) throw refused('The ad set creates its own variants, so it can contain only one ad');
}

/** The platform uses time 0 for no end. */
const hasEnded = (endTime = '', now: Date): boolean => Date.parse(endTime) > 0 && Date.parse(endTime) <= now.getTime();

const unknownSet = (adSetId: string): PlatformError => refused(`There is no ad set ${adSetId} for this account`);

const refused = (message: string): PlatformError =>
  new PlatformError('A', 'rejected', message, { fields: { adSetId: [message] } });
