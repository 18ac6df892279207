import { Schema } from 'mongoose';
import type { Encrypted } from '../lib/encryption.ts';

/** A key that stored values may be encrypted with. */
export interface EncryptionKeyDoc {
  /** The key's id. */
  _id: string;
  /** A known text encrypted with this key; detects a different key with the same id. */
  check: Encrypted;
}

export const encryptionKeySchema = new Schema<EncryptionKeyDoc>(
  { _id: { type: String, required: true }, check: { type: String, required: true } },
  { timestamps: { createdAt: true, updatedAt: false }, versionKey: false, collection: 'encryption_keys' },
);
