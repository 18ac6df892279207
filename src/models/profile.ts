import { Schema } from 'mongoose';
import { newId } from '../lib/id.ts';
import { outboxIndex, pendingEvents, type PendingEvent } from './pending-event.ts';
import { deletedIndex } from './soft-delete.ts';

export interface ProfileDoc {
  _id: string;
  userId: string;
  name: string;
  description: string | null;
  color: string | null;
  isDefault: boolean;
  /** Numbers the user's profiles: the unique index rejects one beyond the plan, also under parallel requests. */
  slot: number;
  /** Deleted by its owner: hidden, and removed once its outbox is empty. */
  deletedAt?: Date | null;
  pendingEvents?: PendingEvent[];
  createdAt: Date;
  updatedAt: Date;
}

export const profileSchema = new Schema<ProfileDoc>(
  {
    _id: { type: String, default: newId },
    userId: { type: String, required: true },
    name: { type: String, required: true },
    description: { type: String, default: null },
    color: { type: String, default: null },
    isDefault: { type: Boolean, default: false },
    slot: { type: Number, required: true },
    deletedAt: Date,
    pendingEvents,
  },
  { timestamps: true, versionKey: false, collection: 'profiles' },
)
  .index({ userId: 1, name: 1 }, { unique: true })
  .index({ userId: 1, _id: 1 })
  .index({ userId: 1, slot: 1 }, { unique: true })
  .index(deletedIndex.fields, deletedIndex.options)
  .index(outboxIndex.fields, outboxIndex.options);
