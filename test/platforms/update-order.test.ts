import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLinkedIn } from '../../src/platforms/linkedin/index.ts';
import { createMeta } from '../../src/platforms/meta/index.ts';
import { createPinterest } from '../../src/platforms/pinterest/index.ts';
import type { AdsAdapter } from '../../src/platforms/platform.ts';
import { createTikTok } from '../../src/platforms/tiktok/index.ts';
import { access, refusalOf } from './fixtures.ts';
import { startUpstream, type FakeUpstream, type Recorded, type Reply } from './upstream.ts';
import { noMedia } from './media.ts';

let upstream: FakeUpstream;
beforeEach(async () => void (upstream = await startUpstream()));
afterEach(() => upstream.stop());

const adAccount = { id: '77', name: 'Main', currency: 'USD', isActive: true };
const ad = { adAccount, campaignId: '1', adSetId: '2', adId: '3' };
const media = { fetch: () => Promise.reject(new Error('No media here')) } as never;
const change = { name: 'Taken ab12cd34', budget: { amount: 40, type: 'daily' as const } };

const platforms: Record<string, { adapter: (baseUrl: string) => AdsAdapter; refusal: Reply }> = {
  A: {
    adapter: (baseUrl) => createMeta({ baseUrl, version: 'v26.0' }),
    refusal: { status: 400, json: { error: { code: 100, message: 'name is not allowed' } } },
  },
  C: {
    adapter: (baseUrl) => createPinterest({ baseUrl, version: 'v5', conversionObjective: 'SALES' }, noMedia),
    refusal: { status: 400, json: { code: 1, message: 'name is not allowed' } },
  },
  D: {
    adapter: (baseUrl) => createTikTok({ baseUrl, version: 'v1.3', callsPerSecond: 1000 }, noMedia),
    refusal: { json: { code: 40_002, message: 'ad_name: not allowed', data: {} } },
  },
  F: {
    adapter: (baseUrl) => createLinkedIn({ baseUrl, version: '202611' } as never, media),
    refusal: { status: 422, json: { status: 422, message: 'ERROR :: /name :: not allowed' } },
  },
};

it.each(Object.entries(platforms))(
  'on %s a name that is refused leaves the budget as it is recorded here',
  async (_platform, { adapter, refusal }) => {
    const sent: Recorded[] = [];
    upstream.respond = (request) => {
      sent.push(request);
      return refusal;
    };
    await refusalOf(adapter(upstream.url).updateAd(access, ad, change));
    const text = sent.map(({ json, form }) => JSON.stringify([json, form]));
    expect(text).toEqual([expect.stringContaining('Taken')]);
    expect(text.join(' ')).not.toMatch(/budget/i);
  },
);
