import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FoundPage } from '../../../src/platforms/platform.ts';
import { onAdSet } from '../../../src/platforms/budget.ts';
import { updateAdSet } from '../../../src/services/ads/update-level.ts';
import { setCampaignStatus } from '../../../src/services/ads/set-campaign-status.ts';
import { saveAds } from '../../../src/services/discovery/save-ads.ts';
import { saveAdSets, saveCampaigns } from '../../../src/services/discovery/upsert-parents.ts';
import type { PageScope } from '../../../src/services/discovery/scope.ts';
import { openStore, type Store } from '../ads/fixture.ts';
import { campaignOf, createDiscoveryFixture, type DiscoveryFixture } from './fixture.ts';
import { eventsIn } from '../../support/outbox.ts';

let store: Store;
let fixture: DiscoveryFixture;

beforeAll(async () => void (store = await openStore()));
beforeEach(async () => void (fixture = await createDiscoveryFixture(store)));
afterAll(() => store.stop());

type Level = 'campaigns' | 'adSets' | 'ads';
type Block = Record<string, unknown> & { changed: string[]; source: string };
interface Published {
  type: string;
  data: Record<string, Block>;
}

/** The updates in the outbox of each record. */
async function updates(): Promise<Published[]> {
  const filter = { accountId: fixture.account._id };
  const { campaigns, adSets, ads } = store.db;
  const docs = [
    ...(await campaigns.find(filter).lean()),
    ...(await adSets.find(filter).lean()),
    ...(await ads.find(filter).lean()),
  ];
  const events = docs.flatMap(eventsIn) as Published[];
  return events.filter(({ type }) => type.endsWith('.updated'));
}
const briefly = async () =>
  (await updates()).map(({ type, data }) => [type, ...Object.values(data).map(({ changed }) => changed.join())]);

/** The page of one campaign with some members set. */
function page(changes: { [level in Level]?: object } = {}): FoundPage {
  const { campaigns = [], adSets = [], ads = [] } = campaignOf('One', { a1: 'active' });
  const endDate = new Date('2999-03-01T00:00:00Z');
  return {
    campaigns: campaigns.map((campaign) => ({ ...campaign, endDate, ...changes.campaigns })),
    adSets: adSets.map((adSet) => ({ ...adSet, endDate, ...changes.adSets })),
    ads: ads.map((ad) => ({ ...ad, ...changes.ads })),
  };
}
const discover = async (shown: FoundPage) => {
  fixture.upstream['act_1'] = function* () {
    yield shown;
  };
  await fixture.discover();
};

describe('a discovery', () => {
  it('publishes a budget that was changed at the platform once, with the ad set and with each of its ads', async () => {
    await discover(page());
    const changed = page({ adSets: { budget: { amount: 35, type: 'daily' } } });
    await discover(changed);
    await discover(changed);
    const [ofAdSet, ofAd, ...others] = await updates();
    expect(others).toEqual([]);
    const budget = { amount: 35, currency: 'USD', type: 'daily' };
    const ids = { accountId: fixture.account._id, platformAdAccountId: 'act_1', platformCampaignId: 'c-One' };
    const shared = { budget, source: 'platform', changed: ['budget'], platform: 'network-a', ...ids };
    expect(ofAdSet).toMatchObject({ type: 'ad_set.updated', data: { adSet: { ...shared, platformAdSetId: 's-One' } } });
    expect(ofAd).toMatchObject({ type: 'ad.updated', data: { ad: { ...shared, platformAdId: 'a1' } } });
  });

  it.each<[string, Parameters<typeof page>[0], string[][]]>([
    [
      'an end',
      { campaigns: { endDate: new Date('2999-04-01') }, adSets: { endDate: new Date('2999-04-01') } },
      [
        ['campaign.updated', 'endDate'],
        ['ad_set.updated', 'endDate'],
        ['ad.updated', 'schedule'],
      ],
    ],
    ['the status of a campaign', { campaigns: { status: 'completed' } }, [['campaign.updated', 'platformStatus']]],
    ['the status of an ad set', { adSets: { status: 'paused' } }, [['ad_set.updated', 'platformStatus']]],
    [
      'a campaign, and not its ad sets, which are paused with it',
      { campaigns: { status: 'paused' }, adSets: { status: 'paused' } },
      [['campaign.updated', 'platformStatus']],
    ],
    ['nothing that differs by less than a second', { adSets: { endDate: new Date('2999-02-28T23:59:59.500Z') } }, []],
    ['no metrics and no goals', { campaigns: { goal: 'awareness', metrics: { spend: 9 } } }, []],
  ])('publishes %s', async (_what, changes, expected) => {
    await discover(page());
    await discover(page(changes));
    expect(await briefly()).toEqual(expected);
  });

  const endless = { campaigns: { endDate: undefined }, adSets: { endDate: undefined } };

  it('publishes an end that is added to what had none, and its removal', async () => {
    await discover(page(endless));
    await discover(page());
    const added = [
      ['campaign.updated', 'endDate'],
      ['ad_set.updated', 'endDate'],
      ['ad.updated', 'schedule'],
    ];
    expect(await briefly()).toEqual(added);
    await discover(page(endless));
    const inOrder = (events: unknown[][]): string[] => events.map((event) => event.join(' ')).toSorted();
    expect(inOrder(await briefly())).toEqual(inOrder([...added, ...added]));
  });

  it('does not publish what it reads for the first time', async () => {
    await discover(page({ ...endless, adSets: { ...endless.adSets, budget: undefined } }));
    const { campaigns, adSets, ads } = store.db;
    const own = { accountId: fixture.account._id };
    // As an earlier release, which did not read the end of a campaign, and as an order that was not discovered yet.
    await campaigns.collection.updateMany(own, { $unset: { endDate: 1 } });
    await adSets.updateMany(own, { $set: { platformStatus: null } });
    await ads.collection.updateMany(own, { $unset: { 'settings.endDate': 1 } });
    await discover(page());
    expect(await briefly()).toEqual([]);
  });

  it('does not publish the part for each day of a lifetime budget that was ordered here', async () => {
    await discover(page());
    const budget = { amount: 300, type: 'lifetime' as const };
    await store.db.adSets.updateMany({ accountId: fixture.account._id }, { $set: { budget } });
    await store.db.ads.updateMany({ accountId: fixture.account._id }, { $set: { 'settings.budget': budget } });
    await discover(page());
    expect(await briefly()).toEqual([]);
  });

  it('publishes campaigns and ad sets that are gone as cancelled, once', async () => {
    await discover(page());
    for (let run = 0; run < 3; run++) await discover({});
    expect(await updates()).toMatchObject([
      { type: 'campaign.updated', data: { campaign: { platformStatus: 'cancelled', source: 'platform' } } },
      { type: 'ad_set.updated', data: { adSet: { platformStatus: 'cancelled', source: 'platform' } } },
    ]);
  });

  it('publishes nothing of a campaign that was paused and activated here, nor of its ad sets', async () => {
    await discover(page());
    const status = (requested: 'ACTIVE' | 'PAUSED') =>
      setCampaignStatus(fixture.ctx, { campaignId: 'c-One', platform: 'network-a', status: requested });
    await status('PAUSED');
    const own = [['campaign.updated', 'platformStatus']];
    expect(await updates()).toMatchObject([{ data: { campaign: { platformStatus: 'paused', source: 'api' } } }]);
    const paused = { status: 'paused' };
    await discover(page({ campaigns: paused, adSets: paused, ads: paused }));
    expect(await briefly()).toEqual(own);
    await status('ACTIVE');
    await discover(page());
    expect(await briefly()).toEqual([...own, ...own]);
  });
});

function signal(): { isGiven: Promise<void>; give: () => void } {
  let give = (): void => {};
  const isGiven = new Promise<void>((resolve) => void (give = resolve));
  return { isGiven, give: () => give() };
}

describe('a change through the API during a discovery', () => {
  /** Runs a discovery whose page is read and stored while the platform has made the change and has not answered. */
  async function during(
    change: () => Promise<unknown>,
    shown: FoundPage,
    answerOf: 'updateAdSet' | 'setCampaignStatus',
  ) {
    const [began, made, stored] = [signal(), signal(), signal()];
    fixture.upstream['act_1'] = async function* () {
      began.give();
      await made.isGiven;
      yield shown;
    };
    fixture.fake.adapter[answerOf] = async () => {
      made.give();
      await stored.isGiven;
    };
    const run = fixture.discover().then(() => stored.give());
    await began.isGiven;
    fixture.pass(1);
    await Promise.all([change(), run]);
  }

  it('is published as its own, although the discovery reads it before it is recorded', async () => {
    await discover(page());
    const [adSet] = await store.db.adSets.find({ accountId: fixture.account._id }).lean();
    fixture.fake.adapter.readBudget = async () => onAdSet({ amount: 20, type: 'daily' });
    const budget = { amount: 35, type: 'daily' };
    const change = { platform: 'network-a' as const, adSetId: adSet?.platformAdSetId ?? '', budgetAmount: 35 };
    await during(
      () => updateAdSet(fixture.ctx, { ...change, validateOnly: false }),
      page({ adSets: { budget } }),
      'updateAdSet',
    );
    expect(
      (await updates()).map(({ type, data }) => [type, ...Object.values(data).map(({ source }) => source)]),
    ).toEqual([
      ['ad_set.updated', 'api'],
      ['ad.updated', 'api'],
    ]);
  });

  it('of the status of a campaign is published as its own too', async () => {
    await discover(page());
    await during(
      () => setCampaignStatus(fixture.ctx, { campaignId: 'c-One', platform: 'network-a', status: 'PAUSED' }),
      page({ campaigns: { status: 'paused' }, adSets: { status: 'paused' }, ads: { status: 'paused' } }),
      'setCampaignStatus',
    );
    expect(await updates()).toMatchObject([
      { type: 'campaign.updated', data: { campaign: { platformStatus: 'paused', source: 'api' } } },
    ]);
  });
});

describe('two runs that write the same page', () => {
  const scopeNow = (): PageScope => {
    const [adAccount, now] = [fixture.adAccounts[0], fixture.ctx.clock.now()];
    if (!adAccount) throw new Error('There is no ad account');
    const { account, fake } = fixture;
    return { account, adapter: fake.adapter, adAccount, startedAt: now, askedAt: now, campaigns: new Map() };
  };

  it('publish each change once, also in the same millisecond', async () => {
    await discover(page());
    const budget = { amount: 35, type: 'daily' as const };
    const {
      campaigns = [],
      adSets = [],
      ads = [],
    } = page({
      campaigns: { status: 'completed' },
      adSets: { budget },
    });
    const both = (save: (scope: PageScope) => Promise<unknown>) => Promise.all([save(scopeNow()), save(scopeNow())]);
    await both((scope) => saveCampaigns(fixture.ctx, scope, campaigns));
    await both((scope) => saveAdSets(fixture.ctx, scope, adSets));
    await both((scope) => saveAds(fixture.ctx, scope, ads));
    expect(await briefly()).toEqual([
      ['campaign.updated', 'platformStatus'],
      ['ad_set.updated', 'budget'],
      ['ad.updated', 'budget'],
    ]);
  });
});
