import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AccountPlatform } from '../contract/platforms.ts';
import { CreateWebhookInput } from '../contract/webhook.ts';
import { newId } from '../lib/id.ts';
import type { Ctx } from '../services/context.ts';
import { writePrivate } from './data-dir-lock.ts';

interface DemoAccount {
  accountId: string;
  /** If the platform has ads. */
  adAccountId?: string;
}

export interface Demo {
  url: string;
  apiKey: string;
  userId: string;
  profiles: { id: string; name: string }[];
  accounts: Record<string, DemoAccount>;
  sandboxUrl: string;
}

export type Addresses = Pick<Demo, 'url' | 'sandboxUrl'>;

const email = 'demo@example.com';
const keyName = 'Demo';
/** The platform of the first examples. */
const firstPlatform = 'network-a';
const demoPlatforms = AccountPlatform.options;

export function readDemo(dataDir: string): Demo | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as Demo;
  } catch {
    return undefined;
  }
}

export interface DemoPlace {
  dataDir: string;
  addresses: Addresses;
  store: { mongoUri: string; encryptionKeys: string };
}

/**
 * Runs before the service starts, so that scripts waiting for it find the file. Returns the recorded demo or creates
 * it; an interrupted one is completed, not duplicated.
 */
export async function seedDemo(place: DemoPlace): Promise<Demo> {
  const known = readDemo(place.dataDir);
  const isWhole =
    known && (!place.addresses.sandboxUrl || demoPlatforms.every((platform) => platform in known.accounts));
  return isWhole ? writeDemo(place, known) : repairDemo(place);
}

/** Runs once the service is ready: recreates a demo that the database does not know. */
export async function existingDemo(place: DemoPlace, laid: Demo): Promise<Demo> {
  return (await isAccepted(laid)) ? laid : repairDemo(place);
}

const repairDemo = async (place: DemoPlace): Promise<Demo> =>
  writeDemo(place, await createDemo(place.addresses.sandboxUrl, place.store));

function writeDemo({ dataDir, addresses }: DemoPlace, made: Omit<Demo, keyof Addresses>): Demo {
  const { apiKey, userId, profiles, accounts } = made;
  const demo = { url: addresses.url, apiKey, userId, profiles, accounts, sandboxUrl: addresses.sandboxUrl };
  writePrivate(join(dataDir, 'demo.json'), `${JSON.stringify(demo, undefined, 2)}\n`);
  return demo;
}

/** False if the file outlived its database. */
async function isAccepted({ url, apiKey, accounts }: Demo): Promise<boolean> {
  const accountId = accounts[firstPlatform]?.accountId;
  const path = accountId ? `/v1/accounts/${accountId}` : '/v1/me';
  const answer = await fetch(url + path, { headers: { Authorization: `Bearer ${apiKey}` } });
  return answer.status !== 401 && answer.status !== 404;
}

async function createDemo(
  sandboxUrl: string,
  { mongoUri, encryptionKeys }: DemoPlace['store'],
): Promise<Omit<Demo, keyof Addresses>> {
  // Loaded only on the first start to keep the others fast.
  const [{ localServices, operatorCtx }, { createUser }] = await Promise.all([
    import('../cli/services.ts'),
    import('../services/users/create-user.ts'),
  ]);
  const services = await localServices(mongoUri, encryptionKeys, { allowLoopback: true });
  try {
    const known = await services.db.users.findOne({ email }).lean();
    const user = known ?? (await createUser(services, { email, name: 'Demo', plan: 'usage-based' }));
    const ctx = operatorCtx(services, user);
    const profiles = await demoProfiles(ctx);
    const accounts = sandboxUrl ? await demoAccounts(ctx, profiles[0]?.id ?? '', sandboxUrl) : {};
    if (sandboxUrl) await demoWebhook(ctx, sandboxUrl);
    return { apiKey: await demoKey(ctx), userId: user._id, profiles, accounts };
  } finally {
    await services.close();
  }
}

async function demoProfiles({ db, caller: { userId } }: Ctx): Promise<Demo['profiles']> {
  const requested = [
    { slot: 1, name: 'Default', isDefault: true },
    { slot: 2, name: 'Second brand', isDefault: false },
  ];
  for (const { slot, ...fields } of requested) {
    await db.profiles.updateOne({ userId, slot }, { $setOnInsert: { _id: newId(), ...fields } }, { upsert: true });
  }
  const profiles = await db.profiles.find({ userId }).sort({ slot: 1 }).limit(2).lean();
  return profiles.map(({ _id, name }) => ({ id: _id, name }));
}

const demoAccount = (accountId: string, adAccountId: string | undefined): DemoAccount => ({
  accountId,
  ...(adAccountId && { adAccountId }),
});

/** One account on each platform, with campaigns that run there. */
async function demoAccounts(ctx: Ctx, profileId: string, sandboxUrl: string): Promise<Demo['accounts']> {
  const [{ connectSandbox }, { seedHistory }] = await Promise.all([
    import('./connect-sandbox.ts'),
    import('./demo-history.ts'),
  ]);
  const known = await ctx.db.accounts.find({ userId: ctx.caller.userId, disconnectedAt: null }).sort({ _id: 1 }).lean();
  const entries = await Promise.all(
    demoPlatforms.map(async (platform): Promise<[string, DemoAccount]> => {
      const earlier = known.find((account) => account.platform === platform);
      if (earlier) return [platform, demoAccount(earlier._id, earlier.adAccounts[0]?.id)];
      const { account, adAccounts } = await connectSandbox(ctx, { sandboxUrl, profileId, platform });
      const [adAccount] = adAccounts;
      if (adAccount) await seedHistory({ sandboxUrl, platform, adAccountId: adAccount.id, now: ctx.clock.now() });
      return [platform, demoAccount(account._id, adAccount?.id)];
    }),
  );
  return Object.fromEntries(entries);
}

/** Sends every event to the sandbox, which accepts it. */
async function demoWebhook(ctx: Ctx, sandboxUrl: string): Promise<void> {
  if (await ctx.db.webhooks.exists({ userId: ctx.caller.userId })) return;
  const { createWebhook } = await import('../services/webhooks/create-webhook.ts');
  const input = CreateWebhookInput.parse({ name: 'Demo', url: `${sandboxUrl}/webhooks`, events: ['*'] });
  await createWebhook(ctx, input, newId());
}

/** A key from an interrupted start was never shown: it is issued again under the same id. */
async function demoKey(ctx: Ctx): Promise<string> {
  const { storeNewKey } = await import('../services/api-keys/store-new-key.ts');
  const { userId } = ctx.caller;
  const unseen = await ctx.db.apiKeys
    .findOne({ userId, name: keyName, lastUsedAt: null, revokedAt: null }, { _id: 1 })
    .lean();
  const settings = {
    userId,
    name: keyName,
    scope: 'full',
    profileIds: [],
    permission: 'read-write',
    expiresAt: null,
  } as const;
  const { key } = await storeNewKey(ctx, unseen?._id ?? newId(), { ...settings, profileIds: [] });
  return key;
}
