import { Schema } from 'mongoose';
import { newId } from '../lib/id.ts';
import type { Encrypted } from '../lib/encryption.ts';
import type { AdAccount, PlatformState } from '../contract/account-data.ts';
import type { BudgetLimits } from '../contract/budget-limits.ts';
import type { AccountPlatform } from '../contract/platforms.ts';
import { lease, type Lease } from './lease.ts';
import { outboxIndex, pendingEvents, type PendingEvent } from './pending-event.ts';

export interface AccountDoc {
  _id: string;
  userId: string;
  profileId: string;
  platform: AccountPlatform;
  /** The account's id at the platform: one connection per user, platform and account. */
  platformAccountId: string;
  username: string;
  displayName: string;
  profilePicture: string | null;
  isActive: boolean;
  needsReconnect: boolean;
  adsConnected: boolean;
  encryptedToken: Encrypted | null;
  encryptedRefreshToken: Encrypted | null;
  tokenExpiresAt: Date | null;
  /** How many days ahead the last notice of its end was published. */
  expiryNoticeDays?: number | null;
  /** When to refresh the token before it expires; null if it cannot be refreshed. */
  refreshAt: Date | null;
  refreshedAt: Date | null;
  /** Error of the last refresh, if it was temporary. */
  lastRefreshError: string | null;
  /** Granted OAuth scopes, if the platform reports them. */
  scopes: string[] | null;
  /** Granted OAuth scopes of the ads connection. */
  adsScopes: string[] | null;
  /** The separate ads connection, on platforms with separate OAuth connections for posting and ads. */
  encryptedAdsToken: Encrypted | null;
  encryptedAdsTokenSecret: Encrypted | null;
  /** Held while a process refreshes the token. */
  refreshLease: Lease | null;
  pageId: string | null;
  selectedPageName: string | null;
  publicProfileName: string | null;
  selectedLocationId: string | null;
  photoAccountId: string | null;
  platformState: PlatformState;
  /** Platform data cached for at most an hour. */
  adAccounts: AdAccount[];
  adAccountsAt: Date | null;
  /** Budget limits by the id of the ad account. */
  budgetLimits?: Record<string, BudgetLimits>;
  /** Emergency stops in force by the id of the ad account, or `all`. */
  stops?: Record<string, string>;
  /** Disconnected by the owner; kept without tokens so that reconnecting preserves id and sequence. */
  disconnectedAt: Date | null;
  /** When its campaigns are discovered automatically: first immediately, then at intervals. */
  discoverAt: Date;
  /** Sequence number of this account's events, so that receivers can order them. */
  sequence: number;
  pendingEvents?: PendingEvent[];
  createdAt: Date;
  updatedAt: Date;
}

const adAccount = new Schema<AdAccount>(
  {
    id: String,
    name: String,
    currency: String,
    timezone: String,
    minDailyBudget: Number,
    dsaBeneficiary: String,
    dsaPayor: String,
    isActive: Boolean,
    status: String,
    statusReason: String,
    managerId: String,
    organizationId: String,
  },
  { _id: false, id: false },
);
const text = { type: String, default: null };

export const accountSchema = new Schema<AccountDoc>(
  {
    _id: { type: String, default: newId },
    userId: { type: String, required: true },
    profileId: { type: String, required: true },
    platform: { type: String, required: true },
    platformAccountId: { type: String, required: true },
    username: { type: String, default: '' },
    displayName: { type: String, default: '' },
    profilePicture: text,
    isActive: { type: Boolean, default: true },
    needsReconnect: { type: Boolean, default: false },
    adsConnected: { type: Boolean, default: false },
    encryptedToken: text,
    encryptedRefreshToken: text,
    tokenExpiresAt: { type: Date, default: null },
    expiryNoticeDays: Number,
    refreshAt: { type: Date, default: null },
    refreshedAt: { type: Date, default: null },
    lastRefreshError: text,
    scopes: { type: [String], default: null },
    adsScopes: { type: [String], default: null },
    encryptedAdsToken: text,
    encryptedAdsTokenSecret: text,
    refreshLease: lease,
    pageId: text,
    selectedPageName: text,
    publicProfileName: text,
    selectedLocationId: text,
    photoAccountId: text,
    platformState: { type: Schema.Types.Mixed, default: {} },
    adAccounts: { type: [adAccount], default: [] },
    adAccountsAt: { type: Date, default: null },
    budgetLimits: Schema.Types.Mixed,
    stops: Schema.Types.Mixed,
    disconnectedAt: { type: Date, default: null },
    discoverAt: { type: Date, default: () => new Date(0) },
    sequence: { type: Number, default: 0 },
    pendingEvents,
  },
  { timestamps: true, versionKey: false, collection: 'accounts' },
)
  .index({ userId: 1, platform: 1, platformAccountId: 1 }, { unique: true })
  .index({ userId: 1, _id: -1 })
  .index({ userId: 1, profileId: 1, _id: -1 })
  .index({ platformAccountId: 1, platform: 1 })
  .index({ refreshAt: 1 }, { partialFilterExpression: { refreshAt: { $type: 'date' } } })
  .index({ tokenExpiresAt: 1 }, { partialFilterExpression: { tokenExpiresAt: { $type: 'date' } } })
  .index({ isActive: 1, adsConnected: 1, needsReconnect: 1, discoverAt: 1 })
  .index(outboxIndex.fields, outboxIndex.options);
