import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { AdPlatform } from '../../src/contract/platforms.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createPlatforms } from '../../src/platforms/registry.ts';
import { asAccess } from './fixtures.ts';
import { startUpstream, type FakeUpstream } from './upstream.ts';

let upstream: FakeUpstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());

const versions: Record<AdPlatform, string> = { A: 'v27.0', B: 'v26', C: 'v6', D: 'v1.4', E: '13', F: '202609' };
/** Where a request says its version and whose it is. */
const said: Record<AdPlatform, { path: string; headers: object }> = {
  A: { path: '/at-a/v27.0/me/adaccounts', headers: { authorization: 'Bearer secret-token' } },
  B: {
    path: '/at-b/v26/customers:listAccessibleCustomers',
    headers: { authorization: 'Bearer secret-token', 'developer-token': 'developer-of-b' },
  },
  C: { path: '/at-c/v6/ad_accounts', headers: { authorization: 'Bearer secret-token' } },
  D: { path: '/at-d/v1.4/oauth2/advertiser/get/', headers: { 'access-token': 'secret-token' } },
  E: {
    path: '/at-e/13/accounts',
    headers: { authorization: expect.stringContaining('oauth_consumer_key="client-of-e"') },
  },
  F: {
    path: '/at-f/adAccounts',
    headers: {
      authorization: 'Bearer secret-token',
      'linkedin-version': '202609',
      'x-restli-protocol-version': '2.0.0',
    },
  },
};

describe.each(AdPlatform.options)('platform %s', (platform) => {
  it('is asked at the address, in the version and as the app of its own settings', async () => {
    const settings = AdPlatform.options.flatMap((name) => [
      [`PLATFORM_${name}_BASE_URL`, `${upstream.url}/at-${name.toLowerCase()}`],
      [`PLATFORM_${name}_VERSION`, versions[name]],
      [`PLATFORM_${name}_CLIENT_ID`, `client-of-${name.toLowerCase()}`],
      [`PLATFORM_${name}_CLIENT_SECRET`, `secret-of-${name.toLowerCase()}`],
    ]);
    const { platforms: config } = readConfig({
      MONGODB_URI: 'mongodb://localhost/social',
      REDIS_URL: 'redis://localhost',
      ENCRYPTION_KEYS: `a:${Buffer.alloc(32, 1).toString('base64')}`,
      ...(Object.fromEntries(settings) as Record<string, string>),
      PLATFORM_B_DEVELOPER_TOKEN: 'developer-of-b',
    });
    const media = { download: () => Promise.reject(new Error('There is none')) } as never;
    const adapter = createPlatforms(config, { media, log: createLog('silent') })[platform];
    upstream.requests.length = 0;
    const access = asAccess({ accountPlatform: 'network-a', token: 'secret-token', tokenSecret: 'token-secret' });
    await adapter?.listAdAccounts(access).catch(() => undefined);
    expect(upstream.requests[0]).toMatchObject(said[platform]);
  });
});
