import { Schema } from 'mongoose';
import type { AccountPlatform } from '../contract/platforms.ts';
import { newId } from '../lib/id.ts';
import type { Encrypted } from '../lib/encryption.ts';

/** What a person gave, kept until they have chosen a page or profile. Callers hold two secrets to it, never the token. */
export interface ConnectGrantDoc {
  _id: string;
  /** Of the one-time handle that stands for the token. */
  handleHash: string;
  /** Of the connect token that stands for the caller. */
  tokenHash: string;
  userId: string;
  keyId: string;
  profileId: string;
  platform: AccountPlatform;
  /** The account that must be met again. */
  accountId: string | null;
  encryptedToken: Encrypted;
  encryptedRefreshToken: Encrypted | null;
  tokenExpiresAt: Date | null;
  scopes: string[] | null;
  /** Set by the selection that used it up. */
  usedAt: Date | null;
  expiresAt: Date;
}

export const connectGrantSchema = new Schema<ConnectGrantDoc>(
  {
    _id: { type: String, default: newId },
    handleHash: { type: String, required: true },
    tokenHash: { type: String, required: true },
    userId: { type: String, required: true },
    keyId: { type: String, required: true },
    profileId: { type: String, required: true },
    platform: { type: String, required: true },
    accountId: { type: String, default: null },
    encryptedToken: { type: String, required: true },
    encryptedRefreshToken: { type: String, default: null },
    tokenExpiresAt: { type: Date, default: null },
    scopes: { type: [String], default: null },
    usedAt: { type: Date, default: null },
    expiresAt: { type: Date, required: true },
  },
  { timestamps: false, versionKey: false, collection: 'connect_grants' },
)
  .index({ handleHash: 1 }, { unique: true })
  .index({ tokenHash: 1 }, { unique: true })
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
