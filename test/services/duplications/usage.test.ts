import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DuplicateCampaignInput } from '../../../src/contract/duplication.ts';
import { localPlatformLimits } from '../../../src/lib/platform-limits.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import type { Redis } from '../../../src/redis/connect.ts';
import { createLimiter } from '../../../src/redis/platform-limiter.ts';
import { duplicateCampaign } from '../../../src/services/duplications/duplicate-campaign.ts';
import { runDuplication } from '../../../src/services/duplications/run-duplication.ts';
import { connectWithoutTimeouts, testRedis, type TestRedis } from '../../support/redis.ts';
import {
  adaptersAt,
  control,
  makeCopyUser,
  plant,
  shapeOf,
  grown,
  startCopyFixture,
  type CopyUser,
  type CopyFixture,
  type SourceTree,
} from './fixture.ts';

let server: TestRedis;
let redis: Redis;
let fixture: CopyFixture;
const log = createLog('silent');
const prefix = `t${randomBytes(4).toString('hex')}`;

beforeAll(async () => {
  server = await testRedis();
  redis = await connectWithoutTimeouts(server.url);
  fixture = await startCopyFixture(createLimiter({ redis, prefix, log, withoutRedis: localPlatformLimits() }));
});
afterAll(async () => {
  await fixture.stop();
  redis.disconnect();
  await server.stop();
});
afterEach(() => usage({}));

const small: SourceTree = { name: 'Spring', adSets: [{ name: 'Women', ads: [{ name: 'Coats' }] }] };
const large: SourceTree = {
  name: 'Autumn',
  adSets: [{ name: 'Women', ads: [{ name: 'Coats' }, { name: 'Hats' }, { name: 'Gloves' }] }],
};

const usage = (setting: object): Promise<unknown> => control(fixture.sandbox, 'network-a/usage', setting);
const input = (campaignId: string): DuplicateCampaignInput =>
  DuplicateCampaignInput.parse({ campaignId, platform: 'network-a', syncAfter: false });

interface Write {
  at: string;
  path: string;
  status: number;
}

/** When the platform got the copy calls for these objects. */
async function copyCalls(): Promise<Write[]> {
  const answer = await fetch(`${fixture.sandbox.url}/ledger?platform=network-a`);
  const { entries } = (await answer.json()) as { entries: (Write & { method: string })[] };
  return entries.filter(({ method, path }) => method === 'POST' && path.endsWith('/copies'));
}

/** A user whose campaign was copied while the platform said this. */
async function warned(setting: object): Promise<CopyUser> {
  const user = await makeCopyUser(fixture, 'network-a');
  await usage(setting);
  await duplicateCampaign(user.ctx, input(await plant(fixture, user, small)));
  await usage({});
  await fetch(`${fixture.sandbox.url}/ledger`, { method: 'DELETE' });
  return user;
}

const full = [
  ['the use case', { useCase: 95, minutes: 3 }, 180],
  ['the ad account', { account: 95, seconds: 45 }, 45],
  ['the app, which returns no time', { app: 97 }, 60],
] as const;

describe('a quota of which 95 % are used', () => {
  it.each(full)('lets no copy begin until it is free: %s', async (_what, setting, seconds) => {
    const user = await warned(setting);
    const refused = await duplicateCampaign(user.ctx, input(await plant(fixture, user, small))).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ code: 'rate_limited', status: 429 });
    const { retryAfterSeconds } = (refused as { extras: { retryAfterSeconds: number } }).extras;
    expect(retryAfterSeconds).toBeLessThanOrEqual(seconds);
    expect(retryAfterSeconds).toBeGreaterThan(seconds - 30);
    expect(await copyCalls()).toEqual([]);
  });

  it('holds for another process, and not for another ad account', async () => {
    const user = await warned({ account: 96, seconds: 60 });
    const connection = await connectWithoutTimeouts(server.url);
    const limits = createLimiter({ redis: connection, prefix, log, withoutRedis: localPlatformLimits() });
    const elsewhere = { ...user.ctx, platforms: adaptersAt(fixture.sandbox, limits) };
    const source = await plant(fixture, user, small);
    await expect(duplicateCampaign(elsewhere, input(source))).rejects.toMatchObject({ status: 429 });
    const other = await makeCopyUser(fixture, 'network-a');
    const free = { ...other.ctx, platforms: adaptersAt(fixture.sandbox, limits) };
    await duplicateCampaign(free, input(await plant(fixture, other, small)));
    connection.disconnect();
  });

  it('stops a copy that grows, which goes on by itself when it is free', async () => {
    const user = await makeCopyUser(fixture, 'network-a');
    await usage({ account: 99, seconds: 60 });
    const source = await plant(fixture, user, large);
    await fetch(`${fixture.sandbox.url}/ledger`, { method: 'DELETE' });
    const { duplicationId } = await duplicateCampaign(user.ctx, input(source));
    await usage({});
    const again = await runDuplication(fixture.services, duplicationId);
    const waitMs = Number(again) - fixture.services.clock.now().getTime();
    expect(waitMs).toBeGreaterThan(30_000);
    expect(waitMs).toBeLessThanOrEqual(60_000);
    const waiting = await fixture.services.db.duplications.findOne({ _id: duplicationId }).lean();
    expect(waiting).toMatchObject({ status: 'running', error: expect.stringContaining('99 %') });
    expect(await copyCalls()).toHaveLength(1);
    const [usageKey = ''] = await redis.keys(`*${prefix}*${user.adAccountId}*:usage`);
    const expiresInMs = await redis.pttl(usageKey);
    expect(expiresInMs).toBeGreaterThan(0);
    expect(expiresInMs).toBeLessThanOrEqual(60_000);
    // A minute later it has expired.
    expect(await redis.del(usageKey)).toBe(1);
    fixture.services.pass(60);
    await runDuplication(fixture.services, duplicationId);
    expect((await grown(fixture, user)).map(shapeOf)).toEqual([shapeOf(large), shapeOf(large)]);
  });
});

describe('a quota of which 75 % are used', () => {
  it.each([
    [75, 250],
    [80, 1500],
  ])('at %i %% sets the calls of a copy apart', async (percent, apart) => {
    const user = await makeCopyUser(fixture, 'network-a');
    await usage({ useCase: percent, minutes: 1 });
    const source = await plant(fixture, user, large);
    await fetch(`${fixture.sandbox.url}/ledger`, { method: 'DELETE' });
    const { duplicationId } = await duplicateCampaign(user.ctx, input(source));
    await runDuplication(fixture.services, duplicationId);
    expect((await grown(fixture, user)).map(shapeOf)).toEqual([shapeOf(large), shapeOf(large)]);
    const times = (await copyCalls()).map(({ at }) => Date.parse(at));
    expect(times).toHaveLength(5);
    const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(apart - 5);
  });

  it('just below it nothing is held back', async () => {
    const user = await warned({ useCase: 74, minutes: 1, app: 74, account: 74.9 });
    await duplicateCampaign(user.ctx, input(await plant(fixture, user, small)));
    expect(await redis.keys(`*${prefix}*${user.adAccountId}*:usage`)).toEqual([]);
  });

  it('is forgotten when an answer says that there is room again', async () => {
    const user = await warned({ account: 90, seconds: 300 });
    await duplicateCampaign(user.ctx, input(await plant(fixture, user, small)));
    expect(await redis.keys(`*${prefix}*${user.adAccountId}*:usage`)).toEqual([]);
  });
});
