import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPubSub, type ClosableFeed } from '../../src/redis/pubsub.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { ownRedis, connectWithoutTimeouts, testRedis, type TestRedis } from '../support/redis.ts';

let server: TestRedis;
const opened: { redis: Redis; feed: ClosableFeed }[] = [];

beforeAll(async () => void (server = await testRedis()));
afterAll(async () => {
  for (const { redis, feed } of opened) {
    feed.close();
    redis.disconnect();
  }
  await server.stop();
});

/** As a process of its own has it. */
async function openFeed(prefix = 'feed-test', url = server.url, log = createLog('silent')): Promise<ClosableFeed> {
  const redis = await connectWithoutTimeouts(url);
  const feed = createPubSub(redis, prefix, log);
  opened.push({ redis, feed });
  return feed;
}

describe('the feed', () => {
  it('carries messages from one process to all who listen, in order', async () => {
    const [here, there] = [await openFeed(), await openFeed()];
    const watchers = [here.subscribe('a'), there.subscribe('a'), there.subscribe('a')];
    await Promise.all(watchers.map(({ ready }) => ready));
    for (const at of [1, 2, 3]) here.publish('a', { at });
    for (const watcher of watchers) {
      for (const at of [1, 2, 3]) expect(await watcher.next()).toEqual({ value: { at }, done: false });
    }
  });

  it('keeps channels and installations apart', async () => {
    const [ours, theirs] = [await openFeed(), await openFeed('other')];
    const watched = ours.subscribe('b');
    await watched.ready;
    theirs.publish('b', 'theirs');
    ours.publish('c', 'elsewhere');
    ours.publish('b', 'mine');
    expect((await watched.next()).value).toBe('mine');
  });

  it('ends what is waited for when a watcher leaves or the process ends', async () => {
    const feed = await openFeed();
    const [left, stays] = [feed.subscribe('d'), feed.subscribe('d')];
    await Promise.all([left.ready, stays.ready]);
    const waiting = left.next();
    await left.return?.();
    expect((await waiting).done).toBe(true);
    feed.publish('d', 1);
    expect((await stays.next()).value).toBe(1);
    const last = stays.next();
    feed.close();
    expect((await last).done).toBe(true);
  });

  it('sends nothing that is not watched, and all of it once it is', async () => {
    const own = await ownRedis();
    const [here, there] = [await openFeed('watched [*]', own.url), await openFeed('watched [*]', own.url)];
    const admin = new Redis(own.url);
    const calls = async (): Promise<number> =>
      Number(/^cmdstat_publish:calls=(\d+)/m.exec(await admin.info('commandstats'))?.[1] ?? 0);
    for (let at = 0; at < 100; at += 1) here.publishIfWatched('e', at);
    await admin.ping();
    expect(await calls()).toBe(0);
    const near = here.subscribe('f');
    await near.ready;
    here.publishIfWatched('f', 'near');
    expect((await near.next()).value).toBe('near');
    const far = there.subscribe('e');
    await far.ready;
    const sending = setInterval(() => here.publishIfWatched('e', 'far'), 20);
    expect((await far.next()).value).toBe('far');
    clearInterval(sending);
    admin.disconnect();
    await own.stop();
  });

  it('logs that Redis rejects its messages', async () => {
    const own = await ownRedis(undefined, ['--user', 'service', 'on', '>secret', '~*', '+@all', 'resetchannels']);
    const lines: string[] = [];
    const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) });
    const feed = await openFeed('rejected', `redis://service:secret@127.0.0.1:${own.port}`, log);
    feed.publish('g', 1);
    await expect.poll(() => lines).toEqual([expect.stringMatching(/NOPERM .*"Redis rejects commands"/)]);
    await own.stop();
  });
});
