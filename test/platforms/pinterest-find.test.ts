import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPinterest } from '../../src/platforms/pinterest/index.ts';
import { asAccess, inputs, memoryJournal, orderOf, token, placedAt } from './fixtures.ts';
import { startUpstream, type FakeUpstream } from './upstream.ts';
import { mediaOf } from './media.ts';
import { media as samples } from '../../src/dev/sandbox/media.ts';

let upstream: FakeUpstream;
const picture = samples.get('landscape.png')?.().body ?? Buffer.alloc(0);
const media = mediaOf({ [inputs.legacy().imageUrl ?? '']: picture });
const zone = process.env['TZ'];
beforeEach(async () => void (upstream = await startUpstream()));
afterEach(async () => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
  await upstream.stop();
});

it.each(['UTC', 'Asia/Tokyo', 'America/New_York'])(
  'finds its pin, and none of an earlier day, whose times are without a zone where the server is in %s',
  async (timezone) => {
    process.env['TZ'] = timezone;
    const input = inputs.legacy({ boardId: '5' });
    const pin = { title: input.headline, description: input.body, link: input.linkUrl };
    const stamp = (hoursAgo: number): string =>
      new Date(placedAt.getTime() - hoursAgo * 3_600_000).toISOString().slice(0, 19);
    upstream.respond = ({ method, path }) => {
      if (method === 'POST' || method === 'PATCH') return { json: { items: [{ data: { id: '7' }, exceptions: [] }] } };
      if (!path.endsWith('/pins')) return { json: {} };
      const items = [
        { id: '1', ...pin, created_at: stamp(2) },
        { id: '2', ...pin, created_at: stamp(0) },
      ];
      return { json: { items, bookmark: null } };
    };
    const journal = memoryJournal();
    journal.open.add('creative.0');
    const access = asAccess({ accountPlatform: 'pin-board', token });
    const adapter = createPinterest({ baseUrl: upstream.url, version: 'v5', conversionObjective: 'SALES' }, media);
    await adapter.createAds(access, orderOf(input), journal).catch(() => undefined);
    expect(journal.ids['creative.0']).toBe('2');
  },
);

it.each([
  ['../x', '..%2Fx'],
  ['a/b', 'a%2Fb'],
  ['a?b#c', 'a%3Fb%23c'],
  ['%2e%2e', '%252e%252e'],
  ['..', '%252E%252E'],
  ['.', '%252E'],
])('asks for the pins of board %s under its own name, not elsewhere', async (boardId, segment) => {
  upstream.respond = ({ method }) =>
    method === 'GET' ? { json: { items: [] } } : { json: { items: [{ data: { id: '7' }, exceptions: [] }] } };
  const journal = memoryJournal();
  journal.open.add('creative.0');
  const access = asAccess({ accountPlatform: 'pin-board', token });
  const adapter = createPinterest({ baseUrl: upstream.url, version: 'v5', conversionObjective: 'SALES' }, media);
  await adapter.createAds(access, orderOf(inputs.legacy({ boardId })), journal).catch(() => undefined);
  const paths = upstream.requests.map(({ path }) => path).filter((path) => path.includes('/pins'));
  expect(new Set(paths)).toEqual(
    new Set([`/v5/boards/${segment}/pins`, ...paths.filter((path) => path === '/v5/pins')]),
  );
  expect(paths).toContain(`/v5/boards/${segment}/pins`);
});
