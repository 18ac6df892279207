import { Schema } from 'mongoose';
import type { Encrypted } from '../lib/encryption.ts';

/** A key that stored values may be encrypted with. */
export interface EncryptionKeyDoc {
  /** The key's id. */
  _id: string;
  /** A known text encrypted with this key; detects a different key with the same id. */
  check: Encrypted;
}

/** A running process and the keys that it has. */
export interface KeyHolderDoc {
  _id: string;
  encryptsWith: string;
  keyIds: string[];
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
    expiresAt: { type: Date, required: true },
  },
  { timestamps: false, versionKey: false, collection: 'encryption_key_holders' },
).index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
