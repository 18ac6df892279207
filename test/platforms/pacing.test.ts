import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { localPlatformLimits, type Limits } from '../../src/lib/platform-limits.ts';
import { createGoogleAds } from '../../src/platforms/google-ads/index.ts';
import type { AdsAdapter } from '../../src/platforms/platform.ts';
import { createXAds } from '../../src/platforms/x-ads/index.ts';
import { access, dollars, refusalOf } from './fixtures.ts';
import { noMedia } from './media.ts';
import { startUpstream, type FakeUpstream, type Reply } from './upstream.ts';

let upstream: FakeUpstream;
beforeAll(async () => void (upstream = await startUpstream()));
afterEach(() => void upstream.requests.splice(0));
afterAll(() => upstream.stop());

const google = (limits: Limits, operationsPerDay?: number): AdsAdapter =>
  createGoogleAds(
    { baseUrl: upstream.url, version: 'v25', tokenUrl: upstream.url, developerToken: 'developer', operationsPerDay },
    noMedia,
    limits,
  );
const x = (limits: Limits): AdsAdapter =>
  createXAds({ baseUrl: upstream.url, version: '12', clientId: 'a', clientSecret: 'b' }, limits);

describe('B', () => {
  const limited = (rateScope: string, retryDelay?: string): Reply => ({
    status: 429,
    json: {
      error: {
        code: 429,
        message: 'Resource has been exhausted',
        status: 'RESOURCE_EXHAUSTED',
        details: [
          {
            errors: [
              {
                errorCode: { quotaError: 'RESOURCE_TEMPORARILY_EXHAUSTED' },
                message: 'Too many requests',
                details: { quotaErrorDetails: { rateScope, ...(retryDelay && { retryDelay }) } },
              },
            ],
          },
        ],
      },
    },
  });
  const other = { ...dollars, id: '78' };
  const pause = (adapter: AdsAdapter, adAccount = dollars): Promise<void> =>
    adapter.setCampaignStatus(access, { adAccount, campaignId: '5' }, 'PAUSED');
  const done: Reply = { json: { mutateOperationResponses: [{ campaignResult: { resourceName: 'c' } }] } };

  it('sends nothing with the developer token until the time that the platform names', async () => {
    const limits = localPlatformLimits();
    upstream.respond = () => done;
    upstream.next(limited('DEVELOPER', '30s'));
    expect((await refusalOf(pause(google(limits)))).upstream.retryAfterSeconds).toBe(30);
    const again = await refusalOf(pause(google(limits), other));
    expect([again.fault, again.upstream.retryAfterSeconds]).toEqual(['rate_limited', 30]);
    expect(upstream.requests).toHaveLength(1);
  });

  it('goes on for other customers when one of them is limited', async () => {
    const limits = localPlatformLimits();
    upstream.respond = () => done;
    upstream.next(limited('ACCOUNT', '30s'));
    await refusalOf(pause(google(limits)));
    await pause(google(limits), other);
    expect((await refusalOf(pause(google(limits)))).fault).toBe('rate_limited');
    expect(upstream.requests).toHaveLength(2);
  });

  it.each(['1s', undefined])('sends a retry once a limit of %s has ended', async (retryDelay) => {
    const limits = localPlatformLimits();
    upstream.respond = () => done;
    upstream.next(limited('DEVELOPER', retryDelay));
    await refusalOf(pause(google(limits)));
    await pause(google(limits));
    expect(upstream.requests).toHaveLength(2);
  });

  it('rejects operations beyond the daily number of the developer token, and counts a query as one', async () => {
    const adapter = google(localPlatformLimits(), 3);
    upstream.respond = ({ path, json }) => {
      if (!path.endsWith('googleAds:search')) return done;
      const isFirst = (json as { pageToken?: string }).pageToken === undefined;
      return { json: { results: [], ...(isFirst && { nextPageToken: 'p2' }) } };
    };
    await adapter.searchInterests?.(access, { q: 'coats', limit: 5, adAccount: dollars });
    expect(upstream.requests).toHaveLength(2);
    await pause(adapter);
    await pause(adapter);
    const { fault, message, upstream: said } = await refusalOf(pause(adapter));
    expect(fault).toBe('rate_limited');
    expect(message).toContain('PLATFORM_B_OPERATIONS_PER_DAY');
    expect(said.retryAfterSeconds).toBeGreaterThan(23 * 3600);
    expect(upstream.requests).toHaveLength(4);
  });
});

describe('E', () => {
  const left = (prefix: string, remaining: number, seconds = 600): Record<string, string> => ({
    [`${prefix}-limit`]: '10',
    [`${prefix}-remaining`]: String(remaining),
    [`${prefix}-reset`]: String(Math.floor(Date.now() / 1000) + seconds),
  });
  const answering = (headers: Record<string, string>): void => {
    upstream.respond = () => ({ json: { data: { id: '1' } }, headers });
  };
  const write = (adapter: AdsAdapter, adAccount = dollars, user = '10'): Promise<void> =>
    adapter.setCampaignStatus({ ...access, platformAccountId: user }, { adAccount, campaignId: '5' }, 'PAUSED');

  it('makes the calls that the platform reports as left and rejects the next one unsent until the reset', async () => {
    const limits = localPlatformLimits();
    answering(left('x-rate-limit', 1));
    await write(x(limits));
    answering(left('x-rate-limit', 0));
    await write(x(limits), { ...dollars, id: 'other' });
    const refused = await refusalOf(write(x(limits)));
    expect(refused.fault).toBe('rate_limited');
    expect(refused.upstream.retryAfterSeconds).toBeGreaterThan(590);
    expect(upstream.requests).toHaveLength(2);
    await write(x(limits), dollars, '11');
    expect(upstream.requests).toHaveLength(3);
  });

  it('counts per ad account where the platform says so, and lets other endpoints go on', async () => {
    const limits = localPlatformLimits();
    answering({ ...left('x-rate-limit', 9), ...left('x-account-rate-limit', 0) });
    await write(x(limits));
    await refusalOf(write(x(limits)));
    await write(x(limits), { ...dollars, id: 'other' });
    expect(upstream.requests).toHaveLength(2);
    upstream.respond = () => ({ json: { data: [], next_cursor: null } });
    expect(await x(limits).listAdAccounts(access)).toEqual([]);
  });

  it('sends a retry once a limit that ends soon has ended', async () => {
    const limits = localPlatformLimits();
    answering(left('x-rate-limit', 0, 1));
    await write(x(limits));
    await write(x(limits));
    expect(upstream.requests).toHaveLength(2);
  });
});
