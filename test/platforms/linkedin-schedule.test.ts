import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLinkedIn } from '../../src/platforms/linkedin/index.ts';
import { media as samples } from '../../src/dev/sandbox/media.ts';
import { asAccess, dollars, inputs, memoryJournal, orderOf, placedAt, token } from './fixtures.ts';
import { mediaOf } from './media.ts';
import { startUpstream, type FakeUpstream } from './upstream.ts';

let upstream: FakeUpstream;
beforeEach(async () => void (upstream = await startUpstream()));
afterEach(() => upstream.stop());

const picture = samples.get('landscape.png')?.().body ?? Buffer.alloc(0);
const input = inputs.legacy({ organizationId: '9', endDate: '2026-04-01T00:00:00Z' });

interface Scheduled {
  runSchedule: { start: number; end?: number };
}

it.each([
  ['when it is placed', 0],
  ['hours later', 7 * 3_600_000],
])('starts group and campaign two minutes after they are sent, for an order that is sent %s', async (_when, lateMs) => {
  upstream.respond = ({ method, path, query }) => {
    if (query['action'] === 'initializeUpload')
      return { json: { value: { uploadUrl: `${upstream.url}/put`, image: 'urn:li:image:1' } } };
    if (path === '/put') return { text: '' };
    if (method === 'GET') return { json: { status: 'AVAILABLE' } };
    return { status: 201, headers: { 'x-restli-id': '7' }, text: '' };
  };
  const now = new Date(placedAt.getTime() + lateMs);
  const access = asAccess({ accountPlatform: 'professional', token, clock: { now: () => now } });
  const media = mediaOf({ [input.imageUrl ?? '']: picture });
  const adapter = createLinkedIn({ baseUrl: upstream.url, version: '202608', tokenUrl: '' }, media);
  await adapter.createAds(access, orderOf(input, dollars, placedAt), memoryJournal());
  const bodyOf = (collection: string): Scheduled =>
    upstream.requests.find(({ method, path }) => method === 'POST' && path.endsWith(`/${collection}`))
      ?.json as Scheduled;
  const start = now.getTime() + 120_000;
  expect(bodyOf('adCampaignGroups').runSchedule).toEqual({ start });
  expect(bodyOf('adCampaigns').runSchedule).toEqual({ start, end: Date.parse('2026-04-01T00:00:00Z') });
});
