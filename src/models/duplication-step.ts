import { Schema } from 'mongoose';

/** One upstream write of a duplication: written before it is sent, its ids after it. */
export interface DuplicationStepDoc {
  /** `<duplication> <name>`: a step is there once. */
  _id: string;
  duplicationId: string;
  name: string;
  /** That of the run that wrote it last. */
  fencingToken: number;
  state: 'running' | 'done' | 'unknown' | 'refused';
  /** When it was begun last; of an unknown outcome, when the answer was given up. */
  startedAt: Date;
  /** What was there before it was sent and so cannot be its own. */
  standing: string[];
  copied: { kind: 'campaign' | 'adSet' | 'ad'; sourceId: string; copiedId: string }[];
  raw?: Record<string, unknown>;
}

const required = { type: String, required: true };

export const duplicationStepSchema = new Schema<DuplicationStepDoc>(
  {
    _id: required,
    duplicationId: required,
    name: required,
    fencingToken: { type: Number, required: true },
    state: required,
    startedAt: { type: Date, required: true },
    standing: { type: [String], default: [] },
    copied: { type: [new Schema({ kind: String, sourceId: String, copiedId: String }, { _id: false })], default: [] },
    raw: Schema.Types.Mixed,
  },
  { versionKey: false, minimize: false, collection: 'duplication_steps' },
).index({ duplicationId: 1 });
