import { Schema } from 'mongoose';
import type { AccountPlatform } from '../contract/platforms.ts';
import { newId } from '../lib/id.ts';
import type { Encrypted } from '../lib/encryption.ts';

/**
 * A granted token, stored until a page or profile is selected. Callers hold two secrets that refer to it, never the
 * token.
 */
export interface ConnectGrantDoc {
  _id: string;
  /** Hash of the one-time handle that represents the token. */
  handleHash: string;
  /** Hash of the connect token that represents the caller. */
  tokenHash: string;
  userId: string;
  keyId: string;
  profileId: string;
  platform: AccountPlatform;
  /** The account to be reconnected. */
  accountId: string | null;
  encryptedToken: Encrypted;
  encryptedRefreshToken: Encrypted | null;
  tokenExpiresAt: Date | null;
  scopes: string[] | null;
  /** Set by the selection that consumed it. */
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
