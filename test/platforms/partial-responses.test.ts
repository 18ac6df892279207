import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLinkedIn } from '../../src/platforms/linkedin/index.ts';
import { createPinterest } from '../../src/platforms/pinterest/index.ts';
import { createClient } from '../../src/platforms/pinterest/client.ts';
import { createTikTok } from '../../src/platforms/tiktok/index.ts';
import { createUpstream } from '../../src/platforms/http.ts';
import type { AdsAdapter } from '../../src/platforms/platform.ts';
import { access, refusalOf } from './fixtures.ts';
import { startUpstream, type FakeUpstream, type Reply } from './upstream.ts';
import { noMedia } from './media.ts';

let upstream: FakeUpstream;
beforeEach(async () => void (upstream = await startUpstream()));
afterEach(() => upstream.stop());

const adAccount = { id: '77', name: 'Main', currency: 'USD', isActive: true };
const campaign = { adAccount, campaignId: '1' };
const media = { fetch: () => Promise.reject(new Error('No media here')) } as never;
const pinBoard = (): AdsAdapter =>
  createPinterest({ baseUrl: upstream.url, version: 'v5', conversionObjective: 'SALES' }, noMedia);
const professional = (): AdsAdapter => createLinkedIn({ baseUrl: upstream.url, version: '202611' } as never, media);
const shortVideo = (): AdsAdapter =>
  createTikTok({ baseUrl: upstream.url, version: 'v1.3', callsPerSecond: 1000 }, noMedia);

describe('a switch', () => {
  it.each<[string, string, () => AdsAdapter, Reply]>([
    ['C', 'names nothing that was changed', pinBoard, { json: { items: [] } }],
    ['C', 'names another object', pinBoard, { json: { items: [{ data: { id: '2' }, exceptions: [] }] } }],
    ['F', 'holds an error', professional, { json: { status: 503, message: 'Service unavailable' } }],
    ['F', 'is a page of some other server', professional, { text: '<html>Welcome</html>' }],
  ])('on %s is not taken for made when a success %s', async (_platform, _what, adapter, reply) => {
    upstream.respond = () => reply;
    const refusal = await refusalOf(adapter().setCampaignStatus(access, campaign, 'PAUSED'));
    expect(refusal).toMatchObject({ fault: 'unknown_outcome' });
  });
});

describe('an element of a list on C', () => {
  const made = async (code: number): Promise<string> => {
    upstream.respond = () => ({ json: { items: [{ data: null, exceptions: [{ code, message: 'Not now' }] }] } });
    const client = createClient(createUpstream({ platform: 'C', baseUrl: upstream.url }), {
      baseUrl: upstream.url,
      version: 'v5',
    });
    return (await refusalOf(client.create(access, 'ad_accounts/77/campaigns', {}))).fault;
  };

  it.each([
    [500, 'unknown_outcome'],
    [4197, 'unknown_outcome'],
    [8, 'rate_limited'],
    [2, 'rejected'],
    [1, 'rejected'],
  ])('that failed with %d is %s, as a whole request would be', async (code, fault) => {
    expect(await made(code)).toBe(fault);
  });
});
describe('a list on D', () => {
  it('that does not say how long it is counts for nothing', async () => {
    upstream.respond = () => ({ json: { code: 0, message: 'OK', data: { list: [{ campaign_id: '1' }] } } });
    const first = shortVideo().discover(access, adAccount)[Symbol.asyncIterator]().next();
    expect(await refusalOf(first)).toMatchObject({ fault: 'unavailable' });
  });
});
