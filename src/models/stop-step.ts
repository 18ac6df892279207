import { Schema } from 'mongoose';
import type { AccountPlatform } from '../contract/platforms.ts';

/** One campaign of an emergency stop. */
export interface StopStepDoc {
  _id: string;
  stopId: string;
  userId: string;
  accountId: string;
  platform: AccountPlatform;
  platformAdAccountId: string;
  platformCampaignId: string;
  name: string;
  state: 'pending' | 'paused' | 'failed';
  /** Why it could not be paused; a failed one is not tried again. */
  message: string | null;
  /** When it was last tried; 1970 before the first time. */
  triedAt: Date;
}

const required = { type: String, required: true };

export const stopStepSchema = new Schema<StopStepDoc>(
  {
    _id: required,
    stopId: required,
    userId: required,
    accountId: required,
    platform: required,
    platformAdAccountId: required,
    platformCampaignId: required,
    name: { type: String, default: '' },
    state: required,
    message: { type: String, default: null },
    triedAt: { type: Date, required: true },
  },
  { versionKey: false, collection: 'stop_steps' },
)
  .index({ stopId: 1, state: 1, platform: 1, triedAt: 1, _id: 1 })
  .index({ userId: 1, _id: -1 });
