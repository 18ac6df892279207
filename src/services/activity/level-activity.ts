import type { ActivityAction } from '../../contract/activity.ts';
import type { ActivityChange, Author } from '../../models/activity.ts';
import type { AdSetDoc } from '../../models/ad-set.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { CampaignDoc, StoredBudget } from '../../models/campaign.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import type { SentStep } from '../../models/sent-step.ts';
import { budgetIn } from '../ads/currency.ts';
import { memberOf, valueAt, type Kind, type Records, type Values } from '../campaigns/updated-event.ts';
import { newActivity } from './new-activity.ts';

type Level = Pick<AdDoc, 'profileId' | 'accountId' | 'platform' | 'name'>;

/** The owner and the name of an ad, an ad set or a campaign, as entries of the activity trail name them. */
export const objectOf = <K extends Kind>(kind: K, doc: Records[K] & Level) => ({
  object: { id: idOf(kind, doc), name: doc.name },
  profileId: doc.profileId,
  accountId: doc.accountId,
  platform: doc.platform,
});

function idOf(kind: Kind, doc: Level): string {
  if (kind === 'ad') return (doc as AdDoc)._id;
  return kind === 'ad_set' ? (doc as AdSetDoc).platformAdSetId : (doc as unknown as CampaignDoc).platformCampaignId;
}

interface Setting {
  values: Values;
  author: Author;
  at: Date;
  steps: SentStep[];
}

/** The entry of values that a request sets at a platform, whether or not they differ from the recorded ones. */
export function levelActivity<K extends Kind>(
  kind: K,
  doc: Records[K],
  { values, author, at, steps }: Setting,
): PendingEvent {
  const paths = Object.keys(values).filter((path) => memberOf[path] !== undefined);
  const show = (path: string, value: unknown): unknown =>
    path.endsWith('budget') ? budgetIn(doc.currency, value as StoredBudget | null) : (value ?? null);
  const changes = paths.map((path): ActivityChange => {
    const before = show(path, valueAt(doc, path));
    return { field: path.replace('settings.', ''), before, after: show(path, values[path]) };
  });
  return newActivity({ action: actionOf(kind, changes), author, ...objectOf(kind, doc), changes, steps }, { at });
}

function actionOf(kind: Kind, changes: ActivityChange[]): ActivityAction {
  const fields = changes.map(({ field }) => field);
  if (kind === 'ad') return 'ad.updated';
  if (fields.includes('budget')) return `${kind}.budget_changed`;
  return fields.includes('platformStatus') ? `${kind}.status_changed` : `${kind}.updated`;
}
