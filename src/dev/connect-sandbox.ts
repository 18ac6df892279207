import { AppError } from '../contract/error.ts';
import type { AccountPlatform } from '../contract/platforms.ts';
import type { AccountDoc } from '../models/account.ts';
import { requireProfile } from '../services/access.ts';
import { connectionFields, saveAccount, type Connection } from '../services/accounts/save-account.ts';
import type { Ctx } from '../services/context.ts';
import { toProfiles } from '../services/profiles/to-profile.ts';

export interface SandboxOrder {
  sandboxUrl: string;
  profileId: string;
  platform: AccountPlatform;
  /** The account to reconnect; it keeps its id. */
  accountId?: string;
  name?: string;
}

export interface SandboxAccount {
  account: AccountDoc;
  /** All accessible ad accounts; the first is used in examples. */
  adAccounts: SandboxAdAccount[];
}

interface SandboxAdAccount {
  id: string;
  name: string;
  currency: string;
}

/** A simulated platform's response for a new user; fields differ per platform. */
export interface SandboxConnection {
  userId: string;
  name?: string;
  username?: string;
  accessToken: string;
  accessTokenSecret?: string;
  refreshToken?: string;
  expiresIn?: number;
  /** The separate posting connection, on platforms that have one. */
  posting?: { accessToken: string; refreshToken?: string; expiresIn?: number };
  pages?: { id: string; name: string }[];
  photoAccountId?: string;
  publicProfiles?: { id: string; display_name?: string; displayName?: string }[];
  locations?: { name: string; title: string }[];
  adAccounts?: SandboxAdAccount[];
}

type Facts = Omit<Connection, 'userId' | 'profileId' | 'platform'>;

/** Connects a sandbox account directly: stores what the connect flow would store. */
export async function connectSandbox(ctx: Ctx, order: SandboxOrder): Promise<SandboxAccount> {
  const { profileId, platform } = order;
  const profile = await requireProfile(ctx, profileId);
  const [record] = await toProfiles(ctx, [profile]);
  if (record?.isOverLimit) {
    throw new AppError(
      'profile_limit_exceeded',
      `The profile ${profileId} exceeds the limits of the plan ${ctx.caller.plan}`,
    );
  }
  const { accountId } = order;
  const owner = { userId: ctx.caller.userId, profileId, platform };
  if (accountId) await requireOwn(ctx, accountId, owner);
  const made = await createSandboxConnection(order);
  const connection = { ...owner, ...connectionFacts(platform, made, ctx.clock.now()) };
  const account = accountId ? await renew(ctx, accountId, connection) : await saveAccount(ctx, connection);
  const adAccounts = made.adAccounts ?? [];
  const stored = adAccounts.map((adAccount) => ({ ...adAccount, isActive: true }));
  await ctx.db.accounts.updateOne({ _id: account._id }, { $set: { adAccounts: stored } });
  return { account, adAccounts };
}

async function requireOwn({ db }: Ctx, accountId: string, owner: object): Promise<void> {
  if (await db.accounts.exists({ _id: accountId, ...owner })) return;
  const message = `There is no account ${accountId} of this user, profile and platform`;
  throw new AppError('account_not_found', message, {
    param: 'accountId',
    details: { fields: { accountId: [message] } },
  });
}

/** Replaces the account's connection with that of another simulated user. */
const renew = (ctx: Ctx, accountId: string, connection: Connection): Promise<AccountDoc> =>
  ctx.db.accounts
    .findOneAndUpdate(
      { _id: accountId },
      { $set: { ...connectionFields(ctx, accountId, connection), kept: {} }, $inc: { sequence: 1 } },
      { returnDocument: 'after' },
    )
    .lean()
    .orFail();

/** The fields to store for a simulated user, by kind of account. */
export function connectionFacts(platform: AccountPlatform, made: SandboxConnection, now: Date): Facts {
  const [page] = made.pages ?? [];
  const name = page?.name ?? made.name ?? 'Demo Shop';
  const posting = made.posting ?? made;
  const common: Facts = {
    platformAccountId: page?.id ?? made.userId,
    username: made.username ?? name.toLowerCase().replaceAll(/\W+/g, '.'),
    displayName: name,
    token: posting.accessToken,
    refreshToken: posting.refreshToken,
    tokenExpiresAt: posting.expiresIn === undefined ? null : new Date(now.getTime() + posting.expiresIn * 1000),
    adsConnected: (made.adAccounts?.length ?? 0) > 0,
  };
  if (page) {
    const photoAccountId = made.photoAccountId ?? null;
    return { ...common, pageId: page.id, selectedPageName: page.name, photoAccountId };
  }
  if (platform === 'network-c' || platform === 'microblog') {
    return { ...common, adsToken: made.accessToken, adsTokenSecret: made.accessTokenSecret };
  }
  if (platform === 'ephemeral-messaging') {
    const [profile] = made.publicProfiles ?? [];
    return {
      ...common,
      platformAccountId: profile?.id ?? made.userId,
      publicProfileName: profile?.display_name ?? profile?.displayName ?? name,
    };
  }
  const [location] = made.locations ?? [];
  return { ...common, selectedLocationId: location?.name.split('/').at(-1) ?? null };
}

/** Both kinds of accounts of platform A share one network of users. */
export const simulatedPlatform = (platform: AccountPlatform): AccountPlatform =>
  platform === 'network-b' ? 'network-a' : platform;

/** Creates a user on a simulated platform, with an ad account per currency. */
export async function createSandboxConnection({
  sandboxUrl,
  platform,
  name = 'Demo Shop',
}: Omit<SandboxOrder, 'profileId'>): Promise<SandboxConnection> {
  const response = await fetch(`${sandboxUrl}/control/${simulatedPlatform(platform)}/connections`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name, currencies: ['USD', 'EUR', 'JPY'] }),
  }).catch((cause: unknown) => {
    throw new Error(`The sandbox at ${sandboxUrl} cannot be reached; is it running?`, { cause });
  });
  if (response.status === 404) throw new Error(`The sandbox does not simulate ${platform}`);
  if (!response.ok)
    throw new Error(`The sandbox at ${sandboxUrl} rejected the request (${response.status}): ${await response.text()}`);
  return (await response.json()) as SandboxConnection;
}
