import type { z } from 'zod';
import type { Goal } from '../../contract/ad-enums.ts';
import { PlatformError } from '../error.ts';
import type { Access, AdOrder } from '../platform.ts';
import type { Client } from './client.ts';
import { goalOf } from './goals.ts';
import { AdSetWire, adSetFields } from './wire.ts';

export interface ParentSet {
  adSetId: string;
  adSetName?: string;
  campaignId: string;
  campaignName?: string;
  goal?: Goal;
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
  const set = await client
    .read(access, adSetId, { schema: AdSetWire, query: { fields: adSetFields } })
    .catch((error: unknown) => {
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
    goal: goalOf(set.campaign?.objective, set.optimization_goal),
  };
}

function requireOpen(set: z.infer<typeof AdSetWire>, now: Date): void {
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
