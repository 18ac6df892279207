import { newId } from '../../src/lib/id.ts';
import { connectionFacts, createSandboxConnection, type SandboxConnection } from '../../src/dev/connect-sandbox.ts';
import type { AccountPlatform } from '../../src/contract/platforms.ts';
import type { Plan } from '../../src/services/context.ts';
import { storeNewKey } from '../../src/services/api-keys/store-new-key.ts';
import { saveAccount, type Connection } from '../../src/services/accounts/save-account.ts';
import { createUser } from '../../src/services/users/create-user.ts';
import type { ApiKeyDoc } from '../../src/models/api-key.ts';
import type { TestApp } from './app.ts';

export interface UserFixture {
  userId: string;
  /** The default profile of the user. */
  profileId: string;
  /** A full read-write key. */
  key: string;
  keyId: string;
  accountId: string;
  /** The platform's token, to let it expire. */
  token: string;
  pageId: string;
  adAccountIds: { usd: string; eur: string; jpy: string };
  /** All that the platform said of the person. */
  connection: SandboxConnection;
  /** A further key of this user. */
  keyWith: (
    settings: Partial<Pick<ApiKeyDoc, 'permission' | 'scope' | 'profileIds' | 'expiresAt' | 'name'>>,
  ) => Promise<{ id: string; key: string }>;
}

export interface FixtureOptions {
  plan?: Plan;
  addons?: string[];
  platform?: AccountPlatform;
  connection?: Partial<Connection>;
  /** How long ago the key was created; by default now. */
  keyAgeMs?: number;
}

/** A user of their own with a connected account, made the way an operator would. */
export async function createUserFixture({ app, sandbox }: TestApp, options: FixtureOptions = {}): Promise<UserFixture> {
  const { services } = app;
  const { plan = 'usage-based', addons = [], platform = 'network-a', keyAgeMs = 0 } = options;
  const user = await createUser(services, { email: `${newId()}@example.com`, name: 'Test', plan, addons });
  const profile = await services.db.profiles.findOne({ userId: user._id }).lean().orFail();
  const connection = await createSandboxConnection({ sandboxUrl: sandbox.url, platform, name: 'Test Shop' });
  const account = await saveAccount(services, {
    userId: user._id,
    profileId: profile._id,
    platform,
    ...connectionFacts(platform, connection, new Date()),
    ...options.connection,
  });
  const storeKey = async (own: typeof services, settings: Parameters<UserFixture['keyWith']>[0]) => {
    const { doc, key } = await storeNewKey(own, newId(), {
      userId: user._id,
      name: 'test',
      scope: 'full',
      profileIds: [],
      permission: 'read-write',
      expiresAt: null,
      ...settings,
    });
    return { id: doc._id, key };
  };
  const [usd, eur, jpy] = connection.adAccounts ?? [];
  const { clock } = services;
  const earlier = { now: () => new Date(clock.now().getTime() - keyAgeMs) };
  const { id: keyId, key } = await storeKey({ ...services, clock: earlier }, {});
  return {
    userId: user._id,
    profileId: profile._id,
    key,
    keyId,
    accountId: account._id,
    token: connection.accessToken,
    pageId: account.pageId ?? '',
    adAccountIds: { usd: usd?.id ?? '', eur: eur?.id ?? '', jpy: jpy?.id ?? '' },
    connection,
    keyWith: (settings) => storeKey(services, settings),
  };
}

/** A legacy ad on platform A that nothing is wrong with. */
export const goodAd = ({ accountId, adAccountIds }: UserFixture): Record<string, unknown> => ({
  accountId,
  adAccountId: adAccountIds.usd,
  name: 'Spring sale',
  goal: 'traffic',
  budgetAmount: 20,
  budgetType: 'daily',
  headline: 'Spring is here',
  body: 'Everything for the garden.',
  callToAction: 'SHOP_NOW',
  linkUrl: 'https://shop.example/spring',
  imageUrl: 'https://shop.example/spring.jpg',
});
