import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEncrypter } from '../../src/lib/encryption.ts';
import { redisStateOf } from '../../src/redis/redis-state.ts';
import { registrationMs, holdRegistration, renewalsUntilExpiry } from '../../src/services/process-registry.ts';
import { createSettingsCheck, type SettingsCheck } from '../../src/services/settings-check.ts';
import type { Redis } from '../../src/redis/connect.ts';
import { connectWithoutTimeouts, testRedis, type TestRedis } from '../support/redis.ts';
import { makeServices, type TestServices } from '../support/services.ts';

const encrypter = createEncrypter([`k1:${randomBytes(32).toString('base64')}`]);
const url = 'https://api.example.com';
let services: TestServices;
let server: TestRedis;
let redis: Redis;
const releases: (() => Promise<void>)[] = [];

const given = (publicUrl: string | null) => ({ publicUrl: publicUrl ?? '', hasPublicUrl: publicUrl !== null });

/** Starts a process: registers its settings and compares them with those of the others. */
async function processWith(
  prefix: string,
  publicUrl: string | null = null,
  { db }: Pick<TestServices, 'db'> = services,
): Promise<SettingsCheck> {
  const own = { ...services, db };
  const state = redisStateOf(redis, prefix, { database: db.users.db.name, clock: services.clock, registrationMs });
  const check = createSettingsCheck(own, state, given(publicUrl));
  releases.push(await holdRegistration({ ...own, encrypter }, check));
  return check;
}

/** Compares so many times more; returns the warnings. */
async function compared(check: SettingsCheck, times = renewalsUntilExpiry): Promise<string[]> {
  for (let at = 0; at < times; at += 1) await check.compare(await check.own());
  return check.warnings();
}

beforeAll(async () => {
  [services, server] = await Promise.all([makeServices(), testRedis()]);
  redis = await connectWithoutTimeouts(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await Promise.all([services.stop(), server.stop()]);
});
beforeEach(async () => {
  await Promise.all(releases.splice(0).map((release) => release()));
});

it('a process logs that its clock differs from that of Redis, once until it is right again', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line) => lines.push(line) });
  let ahead = 0;
  const redisAt = async () => ({ id: 'one', time: services.clock.now().getTime() - ahead, databases: [] });
  const check = createSettingsCheck({ ...services, log }, redisAt, given(null));
  for (ahead of [0, 20_000, 600_000, 600_000, 0, -600_000]) await check.own();
  expect(lines.map((line) => (JSON.parse(line) as { seconds: number }).seconds)).toEqual([600, -600]);
});

it('a process that stops while it reads its settings leaves no registration behind', async () => {
  const own = createEncrypter([`k2:${randomBytes(32).toString('base64')}`]);
  const read = { redisId: null, publicUrl: null };
  let answer: ((settings: typeof read) => void) | undefined;
  const slow: SettingsCheck = {
    own: () => (answer ? new Promise((resolve) => (answer = resolve)) : Promise.resolve(read)),
    compare: async () => undefined,
    warnings: () => [],
  };
  const registrations = () => services.db.processes.countDocuments({ encryptsWith: 'k2' });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const release = await holdRegistration({ ...services, encrypter: own }, slow);
  answer = () => undefined;
  vi.advanceTimersByTime(20_000);
  vi.useRealTimers();
  expect(await registrations()).toBe(1);
  await release();
  answer(read);
  // What would be written is written before this read.
  await services.db.users.findOne({}).lean();
  expect(await registrations()).toBe(0);
});

describe('processes that share a database or Redis', () => {
  it('warn while another one has another REDIS_PREFIX', async () => {
    const prefix = randomBytes(6).toString('hex');
    const [right, wrong] = [await processWith(prefix), await processWith(`${prefix}x`)];
    expect(await compared(right, renewalsUntilExpiry - 1)).toEqual([]);
    expect(await compared(right)).toEqual([expect.stringContaining('REDIS_URL or REDIS_PREFIX differs')]);
    expect(await compared(wrong)).toEqual([expect.stringContaining('REDIS_URL or REDIS_PREFIX differs')]);
    await releases.pop()?.();
    expect(await compared(right, 1)).toEqual([]);
  });

  it('warn while another one has another PUBLIC_URL, not while it has none', async () => {
    const prefix = randomBytes(6).toString('hex');
    const right = await processWith(prefix, url);
    await processWith(prefix);
    expect(await compared(right)).toEqual([]);
    await processWith(prefix, 'https://api.example.org');
    expect(await compared(right)).toEqual([expect.stringContaining('PUBLIC_URL differs')]);
  });

  it('warn while another one has another database, whichever of them started first', async () => {
    const prefix = randomBytes(6).toString('hex');
    const elsewhere = await makeServices();
    const [right, wrong] = [await processWith(prefix), await processWith(prefix, null, elsewhere)];
    const warning = expect.stringContaining('The database of MONGODB_URI differs');
    expect(await compared(right, renewalsUntilExpiry - 1)).toEqual([]);
    expect([await compared(right), await compared(wrong)]).toEqual([[warning], [warning]]);
    await releases.pop()?.();
    services.pass(registrationMs / 1000 + 1);
    expect(await compared(right, 1)).toEqual([]);
    await elsewhere.stop();
  });

  it('do not warn when their settings are equal, also after Redis was emptied, nor while Redis does not respond', async () => {
    const prefix = randomBytes(6).toString('hex');
    const [one, other] = [await processWith(prefix, url), await processWith(prefix, url)];
    expect([await compared(one), await compared(other)]).toEqual([[], []]);
    const before = await one.own();
    await redis.del(`${prefix}:redisId`);
    const after = await one.own();
    expect(after.redisId).not.toBe(before.redisId);
    expect(await other.own()).toEqual(after);
    const unreachable = (): Promise<never> => Promise.reject(new Error('unreachable'));
    const withoutRedis = createSettingsCheck(services, unreachable, given(url));
    releases.push(await holdRegistration({ ...services, encrypter }, withoutRedis));
    await one.compare(after);
    expect([await compared(withoutRedis), one.warnings()]).toEqual([[], []]);
  });
});
