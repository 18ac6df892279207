import { AppError } from '../contract/error.ts';
import type { AccountPlatform } from '../contract/platforms.ts';
import type { AccountDoc } from '../models/account.ts';
import { requireProfile } from '../services/access.ts';
import { saveAccount } from '../services/accounts/save-account.ts';
import type { Ctx } from '../services/context.ts';
import { toProfiles } from '../services/profiles/to-profile.ts';

export interface SandboxOrder {
  sandboxUrl: string;
  profileId: string;
  platform: AccountPlatform;
  name?: string;
}

export interface SandboxAccount {
  account: AccountDoc;
  /** All that the connection reaches; the first is the one to try with. */
  adAccounts: { id: string; name: string; currency: string }[];
}

interface SandboxConnection {
  accessToken: string;
  pages: { id: string; name: string }[];
  adAccounts: SandboxAccount['adAccounts'];
  photoAccountId?: string;
}

/** Connects a new account of the sandbox without the clicks: stores what the connect flow would store at its end. */
export async function connectSandbox(ctx: Ctx, order: SandboxOrder): Promise<SandboxAccount> {
  const { profileId, platform } = order;
  const profile = await requireProfile(ctx, profileId);
  const [record] = await toProfiles(ctx, [profile]);
  if (record?.isOverLimit) {
    throw new AppError(
      'profile_limit_exceeded',
      `The profile ${profileId} is beyond what the plan ${ctx.caller.plan} holds`,
    );
  }
  const { accessToken, pages, adAccounts, photoAccountId = null } = await makeConnection(order);
  const [page] = pages;
  if (!page || adAccounts.length === 0)
    throw new Error('The sandbox made a connection without a page or an ad account');
  const account = await saveAccount(ctx, {
    userId: ctx.caller.userId,
    profileId,
    platform,
    platformAccountId: page.id,
    username: page.name.toLowerCase().replaceAll(/\W+/g, '.'),
    displayName: page.name,
    token: accessToken,
    pageId: page.id,
    selectedPageName: page.name,
    photoAccountId,
    adsConnected: true,
  });
  const stored = adAccounts.map(({ id, name, currency }) => ({ id, name, currency, isActive: true }));
  await ctx.db.accounts.updateOne({ _id: account._id }, { $set: { adAccounts: stored } });
  return { account, adAccounts };
}

async function makeConnection({ sandboxUrl, platform, name = 'Demo Shop' }: SandboxOrder): Promise<SandboxConnection> {
  const response = await fetch(`${sandboxUrl}/control/${platform}/connections`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name, currencies: ['USD', 'EUR', 'JPY'] }),
  }).catch((cause: unknown) => {
    throw new Error(`The sandbox at ${sandboxUrl} cannot be reached; is it running?`, { cause });
  });
  if (response.status === 404) throw new Error(`The sandbox does not simulate ${platform}`);
  if (!response.ok)
    throw new Error(`The sandbox at ${sandboxUrl} refused (${response.status}): ${await response.text()}`);
  return (await response.json()) as SandboxConnection;
}
