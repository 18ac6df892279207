import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { AdPlatform } from '../../src/contract/platforms.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createGoogleBusiness } from '../../src/platforms/google-business/index.ts';
import type { AdRef, AdsAdapter } from '../../src/platforms/platform.ts';
import { createPlatforms, type PlatformsConfig } from '../../src/platforms/registry.ts';
import { asAccess, dollars } from './fixtures.ts';
import { startUpstream, type FakeUpstream } from './upstream.ts';

let upstream: FakeUpstream;
let config: PlatformsConfig;
const log = createLog('silent');
beforeAll(async () => {
  upstream = await startUpstream();
  // Enough of an answer for most reads, so that calls reach their second request.
  const json = { id: '9', name: 'n', account_id: '777', success: true, data: [], items: [], elements: [], results: [] };
  upstream.respond = () => ({ json });
  const settings = AdPlatform.options.map((name) => [`PLATFORM_${name}_BASE_URL`, upstream.url]);
  config = readConfig({
    MONGODB_URI: 'mongodb://localhost/social',
    REDIS_URL: 'redis://localhost',
    ENCRYPTION_KEYS: `a:${Buffer.alloc(32, 1).toString('base64')}`,
    ...(Object.fromEntries(settings) as Record<string, string>),
    PLATFORM_B_DEVELOPER_TOKEN: 'developer-of-b',
  }).platforms;
});
afterAll(() => upstream.stop());

const access = asAccess({ accountPlatform: 'network-a', token: 'secret-token', tokenSecret: 'token-secret' });

const places = ['adAccount', 'campaignId', 'adSetId', 'adId'] as const;
type Place = (typeof places)[number];
const plain: Record<Place, string> = { adAccount: '777001', campaignId: '777002', adSetId: '777003', adId: '777004' };

/** Ids that would change an address if they were written into it as they are. */
const oddIds = [
  'a/b',
  '..',
  '.',
  '?x=1',
  '%2f',
  '%2e%2e',
  '#x',
  '../../me',
  '\\x',
  '//evil.example/x',
  '7\n7',
  'ü',
  '',
];
const oddId = fc.oneof(
  fc.constantFrom(...oddIds),
  fc.string({
    unit: fc.constantFrom('/', '.', '?', '#', '%', '2', 'f', '\\', ' ', '1', '@', ':'),
    minLength: 1,
    maxLength: 8,
  }),
);

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

async function called(run: () => Promise<unknown>): Promise<string[]> {
  upstream.requests.length = 0;
  await run().catch(() => undefined);
  return upstream.requests.map(({ method, address }) => `${method} ${address.split('?')[0]}`);
}

/** Whether a path differs from a usual one in segments that hold the id and nothing else. */
function isSame(usual: string, path: string, [plainId, id]: [string, string]): boolean {
  const [expected, parts] = [usual.split('/'), path.split('/')];
  const holds = (part: string): boolean => [decoded(part), decoded(decoded(part))].some((text) => text.includes(id));
  return (
    parts.length === expected.length &&
    parts.every((part, at) => part === expected[at] || (expected[at]?.includes(plainId) === true && holds(part)))
  );
}

async function first(pages: AsyncIterable<unknown>): Promise<void> {
  for await (const _page of pages) return;
}

const live = { status: 'paused' as const, adSetIds: [], adIds: [] };

type Call = (adapter: AdsAdapter, ref: AdRef) => Promise<unknown>;
const calls: Record<string, Call> = {
  renameAd: (adapter, ref) => adapter.renameAd(access, ref, 'New'),
  updateCampaign: (adapter, ref) => adapter.updateCampaign(access, ref, { budget: { amount: 50, type: 'daily' } }),
  updateAdSet: (adapter, ref) => adapter.updateAdSet(access, ref, { name: 'New' }),
  setAdSetStatus: (adapter, ref) => adapter.setAdSetStatus(access, ref, 'PAUSED'),
  readBudget: (adapter, ref) => adapter.readBudget(access, ref),
  setAdStatus: (adapter, ref) => adapter.setAdStatus(access, ref, 'PAUSED'),
  setCampaignStatus: (adapter, ref) => adapter.setCampaignStatus(access, ref, 'PAUSED'),
  discover: (adapter, { adAccount }) => first(adapter.discover(access, adAccount)),
  readRemovable: (adapter, { adAccount, campaignId }) => adapter.readRemovable(access, { adAccount, campaignId }),
  removeCampaign: (adapter, { adAccount, campaignId }) =>
    adapter.remove(access, { adAccount, campaignId }, { mode: 'delete', removable: live }),
  removeAdSet: (adapter, { adAccount, campaignId, adSetId }) =>
    adapter.remove(access, { adAccount, campaignId, adSetId }, { mode: 'delete', removable: live }),
  removeAd: (adapter, ref) => adapter.remove(access, ref, { mode: 'delete', removable: { ...live, status: 'draft' } }),
  findCampaign: (adapter, { adAccount, campaignId }) => adapter.findCampaign(access, [adAccount], campaignId),
};

const refWith = (place?: Place, id = ''): AdRef => {
  const ids = { ...plain, ...(place && { [place]: id }) };
  return { ...ids, adAccount: { ...dollars, id: ids.adAccount } };
};

describe.each(AdPlatform.options)('platform %s', (platform) => {
  const adapterOf = (): AdsAdapter => {
    const media = { download: () => Promise.reject(new Error('There is none')) } as never;
    const adapter = createPlatforms(config, { media, log })[platform];
    if (!adapter) throw new Error(`There is no adapter of ${platform}`);
    return adapter;
  };

  it.each(Object.keys(calls))('calls no other path in %s whatever an id holds, or refuses it', async (name) => {
    const call = calls[name] as Call;
    // An adapter of its own for each call: one adapter waits for the platform's rate limit.
    const usual = await called(() => call(adapterOf(), refWith()));
    const odd = fc.asyncProperty(fc.constantFrom(...places), oddId, async (place, id) => {
      const seen = await called(() => call(adapterOf(), refWith(place, id)));
      const others = seen.filter((path) => !usual.some((one) => isSame(one, path, [plain[place], id])));
      expect(others).toEqual([]);
    });
    await fc.assert(odd, {
      numRuns: 60,
      examples: places.flatMap((place) => oddIds.map((id) => [place, id] as [Place, string])),
    });
  });
});

describe('the listing platform', () => {
  const config = () => ({ baseUrl: upstream.url, accountUrl: upstream.url, tokenUrl: upstream.url });
  const ofListing: Record<string, (id: string) => Promise<unknown>> = {
    readLocation: (id) => createGoogleBusiness(config()).readLocation(access, id, ['title']),
    updateLocation: (id) => createGoogleBusiness(config()).updateLocation(access, id, { paths: ['title'], fields: {} }),
    listAttributes: (id) => createGoogleBusiness(config()).listAttributes(access, id),
    updateAttributes: (id) => createGoogleBusiness(config()).updateAttributes(access, id, []),
  };

  it.each(Object.keys(ofListing))('is called at no other path in %s whatever an id holds', async (name) => {
    const call = ofListing[name] as (id: string) => Promise<unknown>;
    const usual = await called(() => call('777001'));
    for (const id of oddIds) {
      const seen = await called(() => call(id));
      expect(seen.filter((path) => !usual.some((one) => isSame(one, path, ['777001', id])))).toEqual([]);
    }
  });
});

const root = join(import.meta.dirname, '../../src/platforms');

it('adapters write no id into a path without escaping it', () => {
  // Names of resources in bodies and queries look like paths without a leading slash.
  const isResource = /^`(customers|locations|accounts|geoTargetConstants)\//;
  const open: string[] = [];
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))) {
    for (const [text] of readFileSync(join(root, file), 'utf8').matchAll(/`[^`\s]*`/g)) {
      const isOpen = /\/\$\{[\w.]*(?:id|Id|name)\}|\$\{[\w.]*(?:id|Id|name)\}\//.test(text);
      if (isOpen && !isResource.test(text)) open.push(`${file}: ${text}`);
    }
  }
  expect(open).toEqual([]);
});
