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
import type { DeliveryTimes } from './webhooks/schedule.ts';

export type Plan = 'free' | 'build' | 'accelerate' | 'unlimited' | 'usage-based';

/** Who is asking, as the key says. */
export interface Caller {
  userId: string;
  email: string;
  userName: string;
  plan: Plan;
  addons: string[];
  keyId: string;
  /** When the key or connect token expires; keys and tokens created with it expire no later. */
  endsAt?: Date;
  permission: 'read' | 'read-write';
  scope: 'full' | 'profiles';
  /** The profiles that a key of scope `profiles` reaches. */
  profileIds: string[];
  /** Authenticated with a connect token: may only use the connect endpoints of this platform. */
  connectPlatform?: AccountPlatform;
}

/** Messages of one channel from every process. It begins to listen when `ready` says so. */
export interface Subscription extends AsyncIterableIterator<unknown> {
  ready: Promise<void>;
}

/** Cross-process pub/sub for live updates; lossy, the database is authoritative. */
export interface PubSub {
  publish: (channel: string, message: unknown) => void;
  subscribe: (channel: string) => Subscription;
}

/** Open streams, counted by key over all processes. */
export interface SubscriptionLimiter {
  /** How many one key may have. */
  limit: number;
  /** Answers what gives the place up again; undefined when none is free. */
  take: (keyId: string) => Promise<(() => void) | undefined>;
}

/** Everything services take from the outside; app.ts supplies it once per process. */
export interface Services {
  db: Db;
  platforms: PlatformRegistry;
  /** Absent where no platform is asked, as on the command line. */
  listing?: ListingAdapter;
  refreshers: Refreshers;
  connectors: Connectors;
  /** Where browsers reach this service, without a slash at the end. */
  publicUrl: string;
  clock: Clock;
  log: Log;
  encrypter: Encrypter;
  /** The one way out to addresses that callers name. */
  egress: Egress;
  deliveryTimes: DeliveryTimes;
  /** The usual ones where nothing is said. */
  duplicationTimes?: DuplicationTimes;
  /** How long an ad order is left to a process that does not renew it; three minutes unless told. */
  orderLeaseMs?: number;
  /** Runs while nobody else, in any process, runs under the same key; left out, all run at once. */
  alone?: Limits['alone'];
  /** Per-webhook rate limit (deliveries per second); returns when to retry if exceeded. */
  pace: (webhookId: string, perSecond: number) => Promise<Date | undefined>;
  /** Keeps a turn for an edit of a location, over all processes. */
  reserveEdit: (locationId: string) => Promise<EditReservation>;
  /** Says in every process that a key is dead; awaited, so the next request anywhere is refused. */
  markKeyRevoked: (keyHash: string) => Promise<void>;
  /** Live progress for those who watch. */
  feed: PubSub;
  subscriptionLimiter: SubscriptionLimiter;
  /** Wakes the outbox relay; best effort. */
  wakeRelay: () => void;
}

export interface DuplicationTimes {
  /** A run that has not been renewed for so long is taken for dead. */
  leaseMs: number;
  /** So long after an answer was given up its request can no longer arrive: what is not there now will not come. */
  lateMs: number;
}

export interface EditReservation {
  /** False when the turn would come too late to wait for; none is kept then. */
  isReserved: boolean;
  waitMs: number;
}

/** One request: the services, who asks, and under which id it is logged. */
export interface Ctx extends Services {
  caller: Caller;
  requestId: string;
  idempotencyKey?: string;
  /** No earlier call can have stored the object whose id this one was given. */
  isFirstAttempt?: boolean;
  /** Charges further rate limit units to this request; 429 if they exceed the limit. */
  charge?: (units: number) => Promise<void>;
  /** Calls back when nobody listens to the answer any more. */
  onGone?: (run: () => void) => void;
}

export type { AccountPlatform };

/** One request counted. */
export interface RateLimitResult {
  limit: number;
  remaining: number;
  /** Unix seconds at which the next window begins. */
  resetAt: number;
  isOver: boolean;
  /** Unknown while Redis cannot be reached. */
  isRevoked: boolean | 'unknown';
}

/** Counts requests and carries revocation marks, over all processes. */
export interface RequestLimiter {
  /** Charges the units of a request and reads the revocation mark of the key in one round trip. */
  pass: (userId: string, keyHash: string, units?: number) => Promise<RateLimitResult>;
  /** Makes every process look the key up anew on its next use. */
  markRevoked: (keyHash: string) => Promise<void>;
}
