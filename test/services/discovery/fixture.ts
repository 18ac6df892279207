import type { AdAccount, FoundPage, ReadClosedMetrics } from '../../../src/platforms/platform.ts';
import { requestDiscovery } from '../../../src/services/discovery/request-discovery.ts';
import { runDiscovery, type RunOptions } from '../../../src/services/discovery/run-discovery.ts';
import type { AdDoc } from '../../../src/models/ad.ts';
import type { CampaignDiscoveryDoc } from '../../../src/models/campaign-discovery.ts';
import { storeKey } from '../../support/services.ts';
import { createUserFixture, type Store, type UserFixture } from '../ads/fixture.ts';

type Pages = (readClosed?: ReadClosedMetrics) => AsyncGenerator<FoundPage> | Generator<FoundPage>;

export interface DiscoveryFixture extends UserFixture {
  /** What each ad account shows; one that is not named shows nothing. */
  upstream: Record<string, Pages>;
  /** Ad accounts of the connection, and when they were asked for. */
  adAccounts: AdAccount[];
  /** Asks for a discovery and carries it out. */
  discover: (options?: RunOptions) => Promise<CampaignDiscoveryDoc>;
  state: () => Promise<CampaignDiscoveryDoc>;
  byPlatformId: (id: string) => Promise<AdDoc>;
  events: () => Promise<{ type: string; data: Record<string, never> }[]>;
}

/** Two ad accounts on a platform in memory that shows what a test says. */
export async function createDiscoveryFixture(store: Store): Promise<DiscoveryFixture> {
  const fixture = await createUserFixture(store, { connection: { adsConnected: true } });
  const { ctx, fake, account } = fixture;
  const { db } = ctx;
  const { userId, email, userName: name, plan } = ctx.caller;
  await db.users.create({ _id: userId, email: `${userId}-${email}`, name, plan });
  await storeKey(ctx);
  const upstream: DiscoveryFixture['upstream'] = {};
  const adAccounts: AdAccount[] = [
    { id: 'act_1', name: 'Main', currency: 'USD', isActive: true },
    { id: 'act_2', name: 'Yen', currency: 'JPY', isActive: true },
  ];
  fake.adapter.listAdAccounts = async () => adAccounts;
  fake.adapter.discover = async function* (_access, { id }, readClosed) {
    yield* upstream[id]?.(readClosed) ?? [];
  };
  const state = () => db.campaignDiscoveries.findOne({ _id: account._id }).lean().orFail();
  return {
    ...fixture,
    upstream,
    adAccounts,
    state,
    discover: async (options) => {
      fixture.pass(60);
      await requestDiscovery(ctx, account);
      await runDiscovery(ctx, account._id, options);
      return state();
    },
    byPlatformId: (platformAdId) => db.ads.findOne({ accountId: account._id, platformAdId }).lean().orFail(),
    events: async () => {
      const [ads, discovery] = [await db.ads.find({ accountId: account._id }).lean(), await state()];
      return [...ads, discovery].flatMap(({ pendingEvents = [] }) => pendingEvents) as never;
    },
  };
}

/** A campaign with one ad set and ads of the given states, as a platform would show it. */
export const campaignOf = (name: string, ads: Record<string, AdDoc['status']>): FoundPage => ({
  campaigns: [
    { id: `c-${name}`, name, status: 'active', goal: 'traffic', createdAt: new Date('2026-05-01T00:00:00Z') },
  ],
  adSets: [
    {
      id: `s-${name}`,
      campaignId: `c-${name}`,
      name: `${name} set`,
      status: 'active',
      budget: { amount: 20, type: 'daily' },
    },
  ],
  ads: Object.entries(ads).map(([id, status]) => ({
    id,
    adSetId: `s-${name}`,
    campaignId: `c-${name}`,
    name: id,
    status: status as 'active',
    metrics: { spend: 0.1, impressions: 10, clicks: 1 },
  })),
});
