import type { BudgetLimits } from '../contract/budget-limits.ts';
import type { ActivitySource } from '../contract/activity.ts';
import type { AccountPlatform } from '../contract/platforms.ts';
import type { Clock } from '../lib/clock.ts';
import type { Egress } from '../egress/egress.ts';
import type { Limits } from '../lib/platform-limits.ts';
import type { Log } from '../telemetry/log.ts';
import type { Encrypter } from '../lib/encryption.ts';
import type { Db } from '../models/db.ts';
import type { Connectors } from '../platforms/connect.ts';
import type { ListingAdapter } from '../platforms/listing.ts';
import type { PlatformRegistry, Refreshers } from '../platforms/platform.ts';
import type { ReportMemory } from './reports/report-memory.ts';
import type { ReportLimits } from './reports/row-limit.ts';
import type { DeliveryTimes } from './webhooks/schedule.ts';

export type Plan = 'free' | 'build' | 'accelerate' | 'unlimited' | 'usage-based';

/** The authenticated caller. */
export interface Caller {
  userId: string;
  email: string;
  userName: string;
  plan: Plan;
  addons: string[];
  keyId: string;
  keyName?: string;
  /** When the key or connect token expires; keys and tokens created with it expire no later. */
  endsAt?: Date;
  permission: 'read' | 'read-write';
  scope: 'full' | 'profiles';
  /** The profiles accessible to a key of scope `profiles`. */
  profileIds: string[];
  budgetLimits?: BudgetLimits;
  /** What the budgets of its key are counted under, if not its own id. */
  budgetKeyId?: string;
  /** The emergency stop that is in force for its key. */
  stopId?: string;
  /** Authenticated with a connect token: may only use the connect endpoints of this platform. */
  connectPlatform?: AccountPlatform;
}

/** Messages of one channel from every process. It is subscribed when `ready` resolves. */
export interface Subscription extends AsyncIterableIterator<unknown> {
  ready: Promise<void>;
}

/** Cross-process pub/sub for live updates; lossy, the database is authoritative. */
export interface PubSub {
  publish: (channel: string, message: unknown) => void;
  /** Publishes if a process watches the channel: for frequent messages that are rarely watched. */
  publishIfWatched: (channel: string, message: unknown) => void;
  subscribe: (channel: string) => Subscription;
}

/** Open subscriptions, counted by key across all processes. */
export interface SubscriptionLimiter {
  /** Maximum per key. */
  limit: number;
  /** Acquires a slot and returns its release function; undefined if none is free. */
  take: (keyId: string) => Promise<(() => void) | undefined>;
}

/** External dependencies of all services; app.ts supplies them once per process. */
export interface Services {
  db: Db;
  platforms: PlatformRegistry;
  /** Absent if no platform is called, as on the command line. */
  listing?: ListingAdapter;
  refreshers: Refreshers;
  connectors: Connectors;
  /** Public base URL of this service, without a trailing slash. */
  publicUrl: string;
  clock: Clock;
  log: Log;
  encrypter: Encrypter;
  /** HTTP client for caller-supplied URLs. */
  egress: Egress;
  deliveryTimes: DeliveryTimes;
  /** Defaults apply if absent. */
  duplicationTimes?: DuplicationTimes;
  /** How long an ad order's lease lasts without renewal; three minutes by default. */
  orderLeaseMs?: number;
  /** Runs exclusively under a key across all processes; if absent, without a lock. */
  withLock?: Limits['withLock'];
  /** Per-webhook rate limit (deliveries per second); returns when to retry if exceeded. */
  limitDeliveryRate: (webhookId: string, perSecond: number) => Promise<Date | undefined>;
  /** Reserves an edit of a location across all processes. */
  reserveEdit: (locationId: string) => Promise<Reservation>;
  /** Counts a read of figures for a user across all processes; unlimited if absent. */
  reserveFigureRead?: (userId: string) => Promise<Reservation>;
  /** What reports may hold in this process; unlimited if absent. */
  reportMemory?: ReportMemory;
  /** Other limits of reports than the usual ones. */
  reportLimits?: ReportLimits;
  /** Publishes to every process that a key was revoked; awaited, so that the next request anywhere is rejected. */
  markKeyRevoked: (keyHash: string) => Promise<void>;
  /** Live progress for subscribers. */
  feed: PubSub;
  subscriptionLimiter: SubscriptionLimiter;
  /** Wakes the outbox relay; best effort. */
  wakeRelay: () => void;
}

export interface DuplicationTimes {
  /** A run whose lease has not been renewed for this long is considered dead. */
  leaseMs: number;
  /** How long after a timeout a request can still arrive; an object missing after that was never created. */
  lateMs: number;
}

/** The result of taking a slot of a sliding-window limit. */
export interface Reservation {
  /** False if the reservation would be too late; nothing is reserved then. */
  isReserved: boolean;
  waitMs: number;
}

/** One request: the services, the caller and the request id for logs. */
export interface Ctx extends Services {
  caller: Caller;
  requestId: string;
  /** When the request arrived, as `performance.now()`. */
  receivedAt?: number;
  /** Through what the request came, for the activity trail. */
  source: ActivitySource;
  idempotencyKey?: string;
  /** No earlier call can have stored the object whose id this one was given. */
  isFirstAttempt?: boolean;
  /** The rate limit units that were charged before the input was parsed. */
  charged?: number;
  /** Charges further rate limit units to this request; 429 if they exceed the limit. */
  charge?: (units: number) => Promise<void>;
  /** How long a report waits for its platform, if not the default. Reading goes on, and is stored. */
  platformWaitMs?: number;
  /** Calls back when the client disconnects. */
  onGone?: (run: () => void) => void;
}

export type { AccountPlatform };

/** The result of counting one request. */
export interface RateLimitResult {
  limit: number;
  remaining: number;
  /** Start of the next window in Unix seconds. */
  resetAt: number;
  isOver: boolean;
  /** Undefined while Redis is unavailable. */
  isRevoked: boolean | 'unknown';
}

/** Counts requests and holds revocation flags across all processes. */
export interface RequestLimiter {
  /** Charges the units of a request and reads the key's revocation flag in one round trip. */
  consume: (userId: string, keyHash: string, units?: number) => Promise<RateLimitResult>;
  /** Makes every process look the key up again on its next use. */
  markRevoked: (keyHash: string) => Promise<void>;
}
