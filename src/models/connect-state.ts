import { Schema } from 'mongoose';
import type { AccountPlatform } from '../contract/platforms.ts';
import { newId } from '../lib/id.ts';
import type { Encrypted } from '../lib/encryption.ts';

/** A connect flow: who started it and for what. It accepts one callback. */
export interface ConnectStateDoc {
  _id: string;
  stateHash: string;
  userId: string;
  /** The key that started the flow; the flow ends when the key is revoked or expires. */
  keyId: string;
  profileId: string;
  platform: AccountPlatform;
  /** The account to be reconnected, or whose ads are connected. */
  accountId: string | null;
  isForAds: boolean;
  redirectUrl: string | null;
  /** The caller's own state parameter; null for our state, of which only the hash is stored. */
  callerState: string | null;
  /** Proof that the callback is ours: the PKCE verifier, or the secret of a request token. */
  encryptedSecret: Encrypted | null;
  /** Hash of the callback parameters; from then on the state accepts no others. */
  answerHash: string | null;
  /** The outcome of that callback, for repeated requests. It may contain the tokens of a selection. */
  encryptedOutcome: Encrypted | null;
  /** Expiry of the key or connect token that started the flow; tokens of the flow expire no later. */
  endsAt?: Date | null;
  expiresAt: Date;
}

export const connectStateSchema = new Schema<ConnectStateDoc>(
  {
    _id: { type: String, default: newId },
    stateHash: { type: String, required: true },
    userId: { type: String, required: true },
    keyId: { type: String, required: true },
    profileId: { type: String, required: true },
    platform: { type: String, required: true },
    accountId: { type: String, default: null },
    isForAds: { type: Boolean, default: false },
    redirectUrl: { type: String, default: null },
    callerState: { type: String, default: null },
    encryptedSecret: { type: String, default: null },
    answerHash: { type: String, default: null },
    encryptedOutcome: { type: String, default: null },
    endsAt: { type: Date, default: null },
    expiresAt: { type: Date, required: true },
  },
  { timestamps: false, versionKey: false, collection: 'connect_states' },
)
  .index({ stateHash: 1 }, { unique: true })
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
