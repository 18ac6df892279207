import { createLog } from '../../../src/telemetry/log.ts';
import { randomBytes } from 'node:crypto';
import type { AccountPlatform } from '../../../src/contract/platforms.ts';
import { newId } from '../../../src/lib/id.ts';
import { localPlatformLimits, type Limits } from '../../../src/lib/platform-limits.ts';
import { createEncrypter } from '../../../src/lib/encryption.ts';
import { deferring } from '../../../src/services/encryption/deferring-encrypter.ts';
import { createMeta } from '../../../src/platforms/meta/index.ts';
import type { FoundAd, FoundAdSet, FoundCampaign, PlatformRegistry } from '../../../src/platforms/platform.ts';
import { createTikTok } from '../../../src/platforms/tiktok/index.ts';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import { saveAccount } from '../../../src/services/accounts/save-account.ts';
import { withAccess } from '../../../src/services/accounts/platform-access.ts';
import type { Ctx } from '../../../src/services/context.ts';
import { runDuplication } from '../../../src/services/duplications/run-duplication.ts';
import { makeCtx, makeServices, type TestServices } from '../../support/services.ts';
import { noMedia } from '../../platforms/media.ts';

export type CopyPlatform = 'network-a' | 'network-c';

export interface SourceTree {
  name: string;
  status?: 'ACTIVE' | 'PAUSED';
  adSets: { name: string; status?: 'ACTIVE' | 'PAUSED'; ads: { name: string; status?: 'ACTIVE' | 'PAUSED' }[] }[];
}

export interface CopyFixture {
  services: TestServices;
  sandbox: Sandbox;
  limits: Limits;
  /** Lets our clock show the platform's time again: what it made later than we believe would be taken for another process's. */
  resetClock: () => void;
  stop: () => Promise<void>;
}

/** Both platforms that copy, over HTTP, with a clock that tests move. */
export async function startCopyFixture(limits: Limits = quickLimits()): Promise<CopyFixture> {
  const [services, sandbox] = await Promise.all([makeServices(), startSandbox()]);
  let ahead = 0;
  Object.assign(services, {
    // The platform's clock is the real one; ours runs ahead of it where a test lets time pass.
    clock: { now: () => new Date(Date.now() + ahead) },
    pass: (seconds: number) => void (ahead += seconds * 1000),
    encrypter: deferring(createEncrypter([`test:${randomBytes(32).toString('base64')}`]), createLog('silent')),
    platforms: adaptersAt(sandbox, limits),
  });
  return {
    services,
    sandbox,
    limits,
    resetClock: () => void (ahead = 0),
    stop: async () => {
      await Promise.all([services.stop(), sandbox.stop()]);
    },
  };
}

/** The adapters of one process. */
export const adaptersAt = ({ url }: Sandbox, limits: Limits): PlatformRegistry => ({
  A: createMeta({ baseUrl: `${url}/network-a`, version: 'v26.0' }, limits),
  D: createTikTok(
    {
      baseUrl: `${url}/network-c/open_api`,
      version: 'v1.3',
      clientId: 'sandbox-app',
      clientSecret: 'sandbox-app-secret',
      callsPerSecond: 1_000_000,
    },
    noMedia,
    limits,
  ),
});

/** One write at a time on A as always, and no waiting in between. */
export const quickLimits = (): Limits => ({ ...localPlatformLimits(), throttle: () => Promise.resolve(0) });

export async function control<T>(sandbox: Sandbox, path: string, body: object): Promise<T> {
  const response = await fetch(`${sandbox.url}/control/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as T;
}

export interface CopyUser {
  ctx: Ctx;
  platform: CopyPlatform;
  accountId: string;
  adAccountId: string;
  token: string;
}

interface Connection {
  userId: string;
  accessToken: string;
  pages?: { id: string }[];
  adAccounts: { id: string; currency: string }[];
}

/** A user of their own with an ads connection of the platform. */
export async function makeCopyUser(
  { services, sandbox, resetClock }: CopyFixture,
  platform: CopyPlatform,
  as: AccountPlatform = platform,
): Promise<CopyUser> {
  resetClock();
  const ctx = await makeCtx(services);
  const profile = await services.db.profiles.findOne({ userId: ctx.caller.userId }).lean().orFail();
  const connection = await control<Connection>(sandbox, `${platform}/connections`, {
    name: 'Shop',
    currencies: ['USD', 'EUR'],
  });
  const account = await saveAccount(services, {
    userId: ctx.caller.userId,
    profileId: profile._id,
    platform: as,
    platformAccountId: newId(),
    username: 'shop',
    displayName: 'Shop',
    token: connection.accessToken,
    pageId: connection.pages?.[0]?.id,
    adsConnected: true,
  });
  const adAccountId = connection.adAccounts[0]?.id ?? '';
  return { ctx, platform, accountId: account._id, adAccountId, token: connection.accessToken };
}

/** Makes a tree at the platform; answers the id of its campaign. */
export async function plant(
  { sandbox }: Pick<CopyFixture, 'sandbox'>,
  user: Pick<CopyUser, 'platform' | 'adAccountId'>,
  tree: SourceTree,
): Promise<string> {
  const { adAccountId } = user;
  if (user.platform === 'network-a') {
    const campaigns = [{ name: tree.name, status: tree.status, adsets: tree.adSets }];
    const answer = await control<{ campaigns: { id: string }[] }>(sandbox, 'network-a/campaigns', {
      adAccountId,
      campaigns,
    });
    return answer.campaigns[0]?.id ?? '';
  }
  const own = ({ name, status }: { name: string; status?: string }) => ({
    name,
    fields: { operation_status: status === 'PAUSED' ? 'DISABLE' : 'ENABLE' },
  });
  const adgroups = tree.adSets.map((set) => ({ ...own(set), ads: set.ads.map(own) }));
  const answer = await control<{ campaigns: { campaignId: string }[] }>(sandbox, 'network-c/campaigns', {
    advertiserId: adAccountId,
    campaigns: [{ ...own(tree), adgroups }],
  });
  return answer.campaigns[0]?.campaignId ?? '';
}

interface Loose {
  id: string;
  [name: string]: unknown;
}

async function objects({ sandbox }: Pick<CopyFixture, 'sandbox'>, path: string): Promise<Loose[]> {
  const response = await fetch(`${sandbox.url}/control/${path}`);
  return ((await response.json()) as { objects: Loose[] }).objects;
}

interface GrownPart {
  id: string;
  name: string;
  status: 'ACTIVE' | 'PAUSED';
}
export interface GrownTree extends GrownPart {
  adSets: (GrownPart & { ads: GrownPart[] })[];
}

/** Every campaign of the ad account at the platform with what is below it, in the form of a source. */
export async function grown(
  fixture: Pick<CopyFixture, 'sandbox'>,
  user: Pick<CopyUser, 'platform' | 'adAccountId'>,
): Promise<GrownTree[]> {
  const text = (value: unknown): string => String(value ?? '');
  if (user.platform === 'network-a') {
    const all = (await objects(fixture, 'network-a/objects')).filter(({ accountId }) => accountId === user.adAccountId);
    const of = (kind: string, where: (fields: Record<string, unknown>) => boolean) =>
      all.filter((one) => one['kind'] === kind && where(one['fields'] as Record<string, unknown>));
    const own = ({ id, fields }: Loose) => {
      const { name, status } = fields as Record<string, string>;
      return { id, name: text(name), status: status as 'ACTIVE' | 'PAUSED' };
    };
    return of('campaign', () => true).map((campaign) => ({
      ...own(campaign),
      adSets: of('adset', (fields) => fields['campaign_id'] === campaign.id).map((set) => ({
        ...own(set),
        ads: of('ad', (fields) => fields['adset_id'] === set.id).map(own),
      })),
    }));
  }
  const [campaigns, groups, ads] = await Promise.all(
    ['campaign', 'adgroup', 'ad'].map((type) => objects(fixture, `network-c/objects?type=${type}`)),
  );
  const own = (one: Loose, kind: string) => ({
    id: text(one[`${kind}_id`]),
    name: text(one[`${kind}_name`]),
    status: one['operation_status'] === 'DISABLE' ? ('PAUSED' as const) : ('ACTIVE' as const),
  });
  return (campaigns ?? [])
    .filter((one) => one['advertiser_id'] === user.adAccountId)
    .map((campaign) => ({
      ...own(campaign, 'campaign'),
      adSets: (groups ?? [])
        .filter((group) => group['campaign_id'] === campaign['campaign_id'])
        .map((group) => ({
          ...own(group, 'adgroup'),
          ads: (ads ?? []).filter((ad) => ad['adgroup_id'] === group['adgroup_id']).map((ad) => own(ad, 'ad')),
        })),
    }));
}

/** The same, only names, as the platform's lists say it. */
export async function named({ services }: CopyFixture, user: CopyUser): Promise<SourceTree[]> {
  const adapter = services.platforms[user.platform === 'network-a' ? 'A' : 'D'];
  const account = await services.db.accounts.findOne({ _id: user.accountId }).lean().orFail();
  const adAccount = account.adAccounts.find(({ id }) => id === user.adAccountId);
  if (!adapter || !adAccount) throw new Error('The ad account is not known yet');
  return withAccess(services, account, async (access) => {
    const found = { campaigns: [] as FoundCampaign[], adSets: [] as FoundAdSet[], ads: [] as FoundAd[] };
    for await (const page of adapter.discover(access, adAccount)) {
      found.campaigns.push(...(page.campaigns ?? []));
      found.adSets.push(...(page.adSets ?? []));
      found.ads.push(...(page.ads ?? []));
    }
    return found.campaigns.map(({ id, name }) => ({
      name,
      adSets: found.adSets
        .filter(({ campaignId }) => campaignId === id)
        .map((set) => ({
          name: set.name,
          ads: found.ads.filter(({ adSetId }) => adSetId === set.id).map((ad) => ({ name: ad.name })),
        })),
    }));
  });
}

/** A tree as its names alone, whatever order they stand in. */
export const shapeOf = ({ name, adSets }: SourceTree): string =>
  `${name}(${adSets
    .map(
      (set) =>
        `${set.name}[${set.ads
          .map((ad) => ad.name)
          .toSorted()
          .join(',')}]`,
    )
    .toSorted()
    .join(' ')})`;

/** Plays the worker until a duplication is over; time passes wherever it waits. */
export async function workOn({ services }: CopyFixture, duplicationId: string): Promise<void> {
  for (let runs = 0; runs < 200; runs += 1) {
    await runDuplication(services, duplicationId);
    const doc = await services.db.duplications.findOne({ _id: duplicationId }).lean().orFail();
    if (doc.status !== 'running') return;
    const waitMs = ((doc.lease?.until ?? doc.runAt)?.getTime() ?? 0) - services.clock.now().getTime();
    if (waitMs > 0) services.pass(waitMs / 1000 + 0.001);
  }
  throw new Error('The duplication does not end');
}
