import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import { entry, leaving } from '../support/ads.ts';
import { startCountedApp, type Command, type CountedApp } from '../support/round-trips.ts';
import { createUserFixture, goodAd, type UserFixture } from '../support/user-fixture.ts';

let counting: CountedApp;
let fixture: UserFixture;
let commands: Command[] = [];

beforeAll(async () => {
  counting = await startCountedApp();
  fixture = await createUserFixture(counting.app);
  await counted(goodAd(fixture));
});
afterAll(() => counting.stop());

interface Counted {
  database: number;
  redis: number;
  /** Bytes of all updates of ads. */
  written: number;
}

/** Round trips of one createAd. */
async function counted(body: object, headers?: Record<string, string>): Promise<Counted> {
  const trips = await counting.count(async () => {
    const answer = await counting.app.call('POST', '/v1/ads/create', { key: fixture.key, body, headers });
    expect(answer.status).toBe(201);
  });
  ({ commands } = trips);
  const written = commands.filter(({ commandName }) => commandName === 'update').map(({ command }) => command.updates);
  return { ...trips, written: JSON.stringify(written).length };
}

/** The fewest of three orders: a busy machine splits what is otherwise sent to Redis at once. */
async function fewest(body: object, headersOf?: () => Record<string, string>): Promise<Omit<Counted, 'written'>> {
  const runs: Counted[] = [];
  while (runs.length < 3) runs.push(await counted(body, headersOf?.()));
  return {
    database: Math.min(...runs.map(({ database }) => database)),
    redis: Math.min(...runs.map(({ redis }) => redis)),
  };
}

const usesLedger = (): boolean =>
  commands.some(({ command }) => (Object.values(command) as unknown[]).includes('budget_ledgers'));

const several = (count: number): object => ({
  ...leaving(goodAd(fixture), 'headline', 'body', 'imageUrl', 'linkUrl', 'callToAction'),
  creatives: Array.from({ length: count }, (_, at) => ({ ...entry, headline: `Ad ${at}` })),
});

it('creates an ad with at most 10 database and 4 Redis round trips', async () => {
  const { database: store, redis: trips } = await fewest(goodAd(fixture));
  expect(store).toBeLessThanOrEqual(10);
  expect(trips).toBeLessThanOrEqual(4);
});

it('reads and writes nothing of budget limits while there are none', async () => {
  await counted(goodAd(fixture));
  expect(usesLedger()).toBe(false);
  const { database: without } = await counted(goodAd(fixture));
  const path = `/v1/accounts/${fixture.accountId}/ad-accounts/${fixture.adAccountIds.usd}/budget-limits`;
  const limit = (budgetLimits: object | null) =>
    counting.app.call('PUT', path, { key: fixture.key, body: { budgetLimits } });
  await limit({ currency: 'USD', maxActiveBudget: 100_000 });
  const { database: within } = await counted(goodAd(fixture));
  expect(usesLedger()).toBe(true);
  expect(within).toBeGreaterThan(without);
  await limit(null);
  expect((await counted(goodAd(fixture))).database).toBe(without);
});

it('creates an ad under an Idempotency-Key with at most 12 database and 4 Redis round trips', async () => {
  const { database: store, redis: trips } = await fewest(goodAd(fixture), () => ({ 'Idempotency-Key': newId() }));
  expect(store).toBeLessThanOrEqual(12);
  expect(trips).toBeLessThanOrEqual(4);
});

it('creates ten ads of one order with at most 3 database and 0.6 Redis round trips for each', async () => {
  const { database: store, redis: trips } = await fewest(several(10));
  expect(store / 10).toBeLessThanOrEqual(3);
  expect(trips / 10).toBeLessThanOrEqual(0.6);
});

it('counts a GraphQL query of several fields in Redis once, if its document has run before', async () => {
  const trips = async (query: string): Promise<number> => {
    const { redis, commands: sent } = await counting.count(async () => {
      expect((await counting.app.graphql(query, {}, { key: fixture.key })).status).toBe(200);
    });
    expect(sent.map(({ command }) => command['maxTimeMS'])).toEqual([10_000]);
    return redis;
  };
  const documents = ['A', 'B', 'C'].map(
    (name) => `query ${name} { viewer { user { id } } accounts { totalCount nodes { id missingScopes } } }`,
  );
  const [unknown, known]: [number[], number[]] = [[], []];
  for (const query of documents) unknown.push(await trips(query));
  for (const query of documents) known.push(await trips(query));
  // The fewest of three: a busy machine splits what is otherwise sent at once.
  expect([Math.min(...unknown), Math.min(...known)]).toEqual([2, 1]);
});

it('writes an amount of bytes that is linear in the number of ads', async () => {
  const [five, ten, twenty] = [await counted(several(5)), await counted(several(10)), await counted(several(20))];
  const [first, second] = [(ten.written - five.written) / 5, (twenty.written - ten.written) / 10];
  expect(second).toBeLessThan(first * 1.2);
});
