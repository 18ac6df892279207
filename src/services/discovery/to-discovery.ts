import type { CampaignDiscovery, DiscoveryProblem } from '../../contract/discovery.ts';
import type { CampaignDiscoveryDoc } from '../../models/campaign-discovery.ts';
import { storedDates } from '../stored-dates.ts';

const { instantOrNull } = storedDates('campaign_discoveries');

/** What a caller sees of a discovery. */
export const toDiscovery = (doc: CampaignDiscoveryDoc): CampaignDiscovery => ({
  accountId: doc._id,
  status: statusOf(doc),
  ...doc.counts,
  failures: doc.failures,
  problems: (doc.problems ?? []).map(toProblem),
  problemCount: doc.problemCount ?? 0,
  error: doc.error,
  runAgain: doc.isRequested && doc.state === 'running',
  queuedAt: instantOrNull(doc, 'queuedAt'),
  startedAt: instantOrNull(doc, 'startedAt'),
  finishedAt: instantOrNull(doc, 'finishedAt'),
});

const toProblem = ({ adAccountId, objectType, platformId, field, message }: DiscoveryProblem) => ({
  adAccountId,
  objectType,
  platformId,
  field,
  message,
});

function statusOf({ state, isRequested }: CampaignDiscoveryDoc): CampaignDiscovery['status'] {
  if (state === 'running') return 'running';
  return isRequested || state === 'none' ? 'queued' : state;
}
