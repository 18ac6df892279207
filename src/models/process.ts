import { Schema } from 'mongoose';

/** Settings that running processes must have in common. */
export interface RegisteredSettings {
  /** Of its Redis and prefix. Null: Redis does not respond. */
  redisId: string | null;
  /** Null: not set. */
  publicUrl: string | null;
}

/** A running process with the encryption keys that it has. */
export interface ProcessDoc extends Partial<RegisteredSettings> {
  _id: string;
  encryptsWith: string;
  keyIds: string[];
  expiresAt: Date;
}

export const processSchema = new Schema<ProcessDoc>(
  {
    _id: { type: String, required: true },
    encryptsWith: { type: String, required: true },
    keyIds: { type: [String], required: true },
    redisId: String,
    publicUrl: String,
    expiresAt: { type: Date, required: true },
  },
  // The collection of earlier versions: processes of both versions must see each other while an upgrade is rolled out.
  { timestamps: false, versionKey: false, collection: 'encryption_key_holders' },
).index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
