import { Schema } from 'mongoose';
import type { SentCall } from '../lib/sent-calls.ts';

/** One platform write of a duplication: stored before it is sent, its ids afterwards. */
export interface DuplicationStepDoc {
  /** `<duplication> <name>`: each step exists once. */
  _id: string;
  duplicationId: string;
  name: string;
  state: 'running' | 'done' | 'unknown' | 'refused';
  /** When it was last started; for an unknown outcome, when the request timed out. */
  startedAt: Date;
  /** Ids that existed before the request and therefore cannot be its result. */
  existingCopyIds: string[];
  copied: { kind: 'campaign' | 'adSet' | 'ad'; sourceId: string; copiedId: string }[];
  raw?: Record<string, unknown>;
  endedAt?: Date;
  errorCode?: string;
  calls?: SentCall[];
}

const required = { type: String, required: true };

export const stepFields = {
  _id: required,
  duplicationId: required,
  name: required,
  state: required,
  startedAt: { type: Date, required: true },
  existingCopyIds: { type: [String], default: [] },
  copied: { type: [new Schema({ kind: String, sourceId: String, copiedId: String }, { _id: false })], default: [] },
  raw: Schema.Types.Mixed,
  endedAt: Date,
  errorCode: String,
  calls: { type: [Schema.Types.Mixed], default: undefined },
};

export const duplicationStepSchema = new Schema<DuplicationStepDoc>(stepFields, {
  versionKey: false,
  collection: 'duplication_steps',
}).index({ duplicationId: 1 });
