import { randomBytes } from 'node:crypto';
import type { CreateAdInput } from '../../../src/contract/ad-input.ts';
import { newId } from '../../../src/lib/id.ts';
import { createEgress } from '../../../src/egress/egress.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { createEncrypter } from '../../../src/lib/encryption.ts';
import { deferring } from '../../../src/services/encryption/deferring-encrypter.ts';
import type { AccountDoc } from '../../../src/models/account.ts';
import type { AdDoc } from '../../../src/models/ad.ts';
import { connectDb, type Db } from '../../../src/models/db.ts';
import { saveAccount, type Connection } from '../../../src/services/accounts/save-account.ts';
import type { Caller, Ctx } from '../../../src/services/context.ts';
import { monitored, testDatabase } from '../../support/db.ts';
import { localFeed } from '../../support/pubsub.ts';
import { fakePlatform, type FakePlatform } from './fake-platform.ts';

export interface UserFixture {
  ctx: Ctx;
  fake: FakePlatform;
  account: AccountDoc;
  /** An order that every local rule accepts. */
  input: (extra?: Partial<CreateAdInput>) => CreateAdInput;
  /** Moves the clock. */
  pass: (seconds: number) => void;
  ads: () => Promise<AdDoc[]>;
  /** Resolves once the platform says that the process was killed. */
  killed: () => Promise<void>;
}

export interface Store {
  db: Db;
  stop: () => Promise<void>;
}

const log = createLog('silent');

export async function openStore(): Promise<Store> {
  const database = await testDatabase();
  const db = await connectDb(monitored(database.uri), log);
  return {
    db,
    stop: async () => {
      await db.close();
      await database.stop();
    },
  };
}

/** The commands that the work sends to the database. */
export async function commandsOf({ db }: Store, work: () => Promise<unknown>): Promise<string[]> {
  const commands: string[] = [];
  const note = ({ commandName }: { commandName: string }): void => void commands.push(commandName);
  const client = db.users.db.getClient().on('commandStarted', note);
  await work();
  client.off('commandStarted', note);
  return commands.filter((name) => name !== 'ping');
}

export interface FixtureOptions {
  caller?: Partial<Caller>;
  connection?: Partial<Connection>;
  maxNameLength?: number;
}

/** A user of their own with a connected account on a platform in memory. */
export async function createUserFixture({ db }: Store, options: FixtureOptions = {}): Promise<UserFixture> {
  let now = Date.parse('2999-01-31T09:00:00Z');
  const fake = fakePlatform({ maxNameLength: options.maxNameLength, now: () => now });
  const services = {
    db,
    log,
    platforms: { A: fake.adapter },
    refreshers: {},
    connectors: {},
    publicUrl: 'http://localhost',
    clock: { now: () => new Date(now) },
    encrypter: deferring(createEncrypter([`test:${randomBytes(32).toString('base64')}`]), createLog('silent')),
    subscriptionLimiter: { limit: 20, take: async () => () => undefined },
    reserveEdit: async () => ({ isReserved: true, waitMs: 0 }),
    markKeyRevoked: async () => {},
    egress: createEgress({ allowedCidrs: [], allowLoopback: true, timeoutMs: 60_000 }),
    deliveryTimes: { retrySchedule: [0], breakerSchedule: [], failureLimit: 10, timeoutMs: 1000 },
    limitDeliveryRate: async () => undefined,
    feed: localFeed(),
    wakeRelay: () => {},
  };
  const userId = newId();
  const account = await saveAccount(services, {
    userId,
    profileId: newId(),
    platform: 'network-a',
    platformAccountId: newId(),
    username: 'shop',
    displayName: 'Shop',
    token: 'token-1',
    pageId: 'page-1',
    ...options.connection,
  });
  const caller = callerOf(userId, options.caller);
  return {
    ctx: { ...services, caller, requestId: 'r-1', source: 'rest' },
    fake,
    account,
    input: (extra) => ({ ...plainOrder, accountId: account._id, ...extra }),
    pass: (seconds) => void (now += seconds * 1000),
    ads: () => db.ads.find({ userId }).sort({ orderId: 1, creativeIndex: 1 }).lean(),
    killed: () => new Promise((resolve) => (fake.died = resolve)),
  };
}

const callerOf = (userId: string, extra: Partial<Caller> = {}): Caller => ({
  userId,
  email: 'a@example.com',
  userName: 'A',
  plan: 'usage-based',
  addons: [],
  keyId: newId(),
  permission: 'read-write',
  scope: 'full',
  profileIds: [],
  ...extra,
});

const plainOrder: Omit<CreateAdInput, 'accountId'> = {
  adAccountId: 'act_1',
  name: 'Winter',
  goal: 'traffic',
  budgetAmount: 12.5,
  budgetType: 'daily',
  headline: 'Coats',
  body: 'Warm coats',
  callToAction: 'SHOP_NOW',
  linkUrl: 'https://shop.example/coats',
  imageUrl: 'https://shop.example/coat.png',
  status: 'ACTIVE',
  validateOnly: false,
};

/** A multi-creative order of so many entries. */
export const severalAds = (count: number): Partial<CreateAdInput> => ({
  headline: undefined,
  body: undefined,
  callToAction: undefined,
  linkUrl: undefined,
  imageUrl: undefined,
  creatives: Array.from({ length: count }, (_, index) => ({
    headline: `Coat ${index}`,
    body: 'Warm',
    callToAction: 'LEARN_MORE' as const,
    linkUrl: 'https://shop.example/coats',
    imageUrl: 'https://shop.example/coat.png',
  })),
});

/** An attach order. */
export const attached: Partial<CreateAdInput> = {
  adSetId: 'set-1',
  goal: undefined,
  budgetAmount: undefined,
  budgetType: undefined,
};
