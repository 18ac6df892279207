import { Schema } from 'mongoose';
import type { ActivityAction, ActivityObjectType, ActivitySource, ActorType } from '../contract/activity.ts';
import type { SentStep } from './sent-step.ts';
import type { AccountPlatform } from '../contract/platforms.ts';

/** Who changed something, and through what. */
export interface Author {
  type: ActorType;
  keyId?: string;
  keyName?: string;
  source: ActivitySource;
  requestId?: string;
}

export interface ActivityChange {
  field: string;
  before: unknown;
  after: unknown;
}

/** What an entry of the activity trail records, without its owner. */
export interface ActivityFacts {
  action: ActivityAction;
  author: Author;
  object: { type: ActivityObjectType; id: string; name?: string | null };
  profileId?: string;
  accountId?: string;
  platform?: AccountPlatform;
  changes: ActivityChange[];
  /** What was sent to the platform for it; shown by the history of an ad. */
  steps?: SentStep[];
}

/** One entry of the activity trail. */
export interface ActivityDoc extends ActivityFacts {
  _id: string;
  userId: string;
  /** When the object was changed. */
  createdAt: Date;
}

const required = { type: String, required: true };
const mixed = { type: Schema.Types.Mixed, required: true };

export const activitySchema = new Schema<ActivityDoc>(
  {
    _id: required,
    userId: required,
    action: required,
    author: mixed,
    object: mixed,
    profileId: String,
    accountId: String,
    platform: String,
    changes: mixed,
    steps: Schema.Types.Mixed,
    createdAt: { type: Date, required: true },
  },
  { versionKey: false, collection: 'activity' },
)
  .index({ createdAt: 1 }, { expireAfterSeconds: 0 })
  .index({ userId: 1, createdAt: -1, _id: -1 })
  .index({ userId: 1, profileId: 1, createdAt: -1, _id: -1 })
  .index({ userId: 1, accountId: 1, createdAt: -1, _id: -1 })
  .index({ userId: 1, action: 1, createdAt: -1, _id: -1 })
  .index({ userId: 1, 'author.keyId': 1, createdAt: -1, _id: -1 })
  .index({ userId: 1, 'object.id': 1, createdAt: -1, _id: -1 })
  .index({ userId: 1, 'object.type': 1, createdAt: -1, _id: -1 });
