import { Schema } from 'mongoose';
import { newId } from '../lib/id.ts';

export interface UserDoc {
  _id: string;
  email: string;
  name: string;
  plan: 'free' | 'build' | 'accelerate' | 'unlimited' | 'usage-based';
  addons: string[];
  createdAt: Date;
  updatedAt: Date;
}

export const userSchema = new Schema<UserDoc>(
  {
    _id: { type: String, default: newId },
    email: { type: String, required: true },
    name: { type: String, required: true },
    plan: { type: String, required: true },
    addons: { type: [String], default: [] },
  },
  { timestamps: true, versionKey: false, collection: 'users' },
).index({ email: 1 }, { unique: true });
