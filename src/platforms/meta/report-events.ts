import { z } from 'zod';
import type { ConversionEvent } from '../../contract/reporting/metrics.ts';
import type { Access } from '../platform.ts';
import type { ReportQuery } from '../report.ts';
import type { Client } from './client.ts';
import { eventOfGoal, eventOfObject, everyStatus } from './report-columns.ts';
import { actOf } from './wire.ts';

const AdSetGoal = z.object({
  id: z.string(),
  campaign_id: z.string(),
  optimization_goal: z.string().optional(),
  promoted_object: z.object({ custom_event_type: z.string().optional() }).optional().catch(undefined),
});

/** Returns the event that an ad set, a campaign or the ad account optimises for; undefined for several or none. */
export type OptimisedFor = (at: { adSetId?: string; campaignId?: string }) => ConversionEvent | undefined;

/** Reads what all ad sets optimise for, deleted ones included. */
export async function optimisedEvents(
  client: Client,
  access: Access,
  { adAccount }: ReportQuery,
): Promise<OptimisedFor> {
  const filtering = JSON.stringify([{ field: 'adset.effective_status', operator: 'IN', value: everyStatus.ad_set }]);
  const sets = await client.list(access, `${actOf(adAccount.id)}/adsets`, {
    item: AdSetGoal,
    query: { fields: 'id,campaign_id,optimization_goal,promoted_object', filtering, limit: '500' },
  });
  const ofSets = new Map<string, ConversionEvent | undefined>();
  const ofCampaigns = new Map<string, Set<ConversionEvent | undefined>>();
  for (const set of sets) {
    const event = eventOf(set);
    ofSets.set(set.id, event);
    ofCampaigns.set(set.campaign_id, (ofCampaigns.get(set.campaign_id) ?? new Set()).add(event));
  }
  const common = (events: Iterable<ConversionEvent | undefined> = []): ConversionEvent | undefined => {
    const found = new Set(events);
    return found.size === 1 ? [...found][0] : undefined;
  };
  const ofAccount = common(ofSets.values());
  return ({ adSetId, campaignId }) => {
    if (adSetId !== undefined) return ofSets.get(adSetId);
    return campaignId === undefined ? ofAccount : common(ofCampaigns.get(campaignId));
  };
}

const eventOf = ({ optimization_goal: goal = '', promoted_object: promoted }: z.infer<typeof AdSetGoal>) =>
  eventOfGoal[goal] ?? eventOfObject[promoted?.custom_event_type ?? ''];
