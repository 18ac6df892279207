import type { AccountPlatform } from '../contract/platforms.ts';
import type { AccountDoc } from '../models/account.ts';
import type { Services } from '../services/context.ts';
import { saveAccount } from '../services/accounts/save-account.ts';

export interface SandboxAccount {
  account: AccountDoc;
  adAccountId: string;
}

interface SandboxConnection {
  userId: string;
  accessToken: string;
  pages: { id: string; name: string; accessToken: string }[];
  adAccounts: { id: string; name: string; currency: string }[];
  photoAccountId?: string;
}

export interface SandboxOwner {
  sandboxUrl: string;
  userId: string;
  profileId: string;
  platform: AccountPlatform;
  name?: string;
}

/** Connects an account of the sandbox without the clicks: what the connect flow would store at its end. */
export async function connectSandboxAccount(services: Pick<Services, 'db' | 'sealer'>, owner: SandboxOwner): Promise<SandboxAccount> {
  const { sandboxUrl, userId, profileId, platform, name = 'Demo Shop' } = owner;
  if (platform !== 'network-a' && platform !== 'network-b') {
    throw new Error(`The sandbox has no accounts of ${platform} yet; it has network-a and network-b`);
  }
  const response = await fetch(`${sandboxUrl}/control/network-a/connections`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name, currencies: ['USD', 'EUR', 'JPY'] }),
  }).catch(() => undefined);
  if (!response?.ok) throw new Error(`The sandbox at ${sandboxUrl} does not answer; is it running?`);
  const connection = (await response.json()) as SandboxConnection;
  const [page] = connection.pages;
  const [adAccount] = connection.adAccounts;
  if (!page || !adAccount) throw new Error('The sandbox made a connection without a page or an ad account');
  const account = await saveAccount(services, {
    userId,
    profileId,
    platform,
    platformAccountId: page.id,
    username: page.name.toLowerCase().replaceAll(/\W+/g, '.'),
    displayName: page.name,
    token: connection.accessToken,
    pageId: page.id,
    selectedPageName: page.name,
    photoAccountId: connection.photoAccountId ?? null,
    adsConnected: true,
  });
  return { account, adAccountId: adAccount.id };
}
