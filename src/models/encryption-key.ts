import { Schema } from 'mongoose';
import type { Encrypted } from '../lib/encryption.ts';

/** A key that stored values may be encrypted with. */
export interface EncryptionKeyDoc {
  /** The key's id. */
  _id: string;
  /** A known text encrypted with this key; detects a different key with the same id. */
  check: Encrypted;
}

/** A running process with the keys that it has, and settings that it must have in common with the others. */
export interface KeyHolderDoc {
  _id: string;
  encryptsWith: string;
  keyIds: string[];
  /** Of its Redis and prefix. Null: Redis does not respond. */
  redisId?: string | null;
  /** Null: not set. */
  publicUrl?: string | null;
  expiresAt: Date;
}

export const encryptionKeySchema = new Schema<EncryptionKeyDoc>(
  { _id: { type: String, required: true }, check: { type: String, required: true } },
  { timestamps: { createdAt: true, updatedAt: false }, versionKey: false, collection: 'encryption_keys' },
);

export const keyHolderSchema = new Schema<KeyHolderDoc>(
  {
    _id: { type: String, required: true },
    encryptsWith: { type: String, required: true },
    keyIds: { type: [String], required: true },
    redisId: String,
    publicUrl: String,
    expiresAt: { type: Date, required: true },
  },
  { timestamps: false, versionKey: false, collection: 'encryption_key_holders' },
).index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
