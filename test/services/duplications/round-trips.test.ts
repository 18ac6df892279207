import { afterAll, beforeAll, expect, it } from 'vitest';
import { runDuplication } from '../../../src/services/duplications/run-duplication.ts';
import { startCountedApp, type CountedApp, type RoundTrips } from '../../support/round-trips.ts';
import { createUserFixture } from '../../support/user-fixture.ts';
import { plant, type CopyPlatform } from './fixture.ts';

let counting: CountedApp;
beforeAll(async () => void (counting = await startCountedApp()));
afterAll(() => counting.stop());

/** Round trips of copying a campaign with so many ads in each of three ad sets, from the call to the last ad. */
async function copied(platform: CopyPlatform, ads: number): Promise<RoundTrips & { objects: Set<string> }> {
  const { app } = counting;
  const fixture = await createUserFixture(app, { platform });
  const names = Array.from({ length: ads }, (_, at) => ({ name: `Ad ${at}` }));
  const adSets = Array.from({ length: 3 }, (_, at) => ({ name: `Set ${at}`, ads: names }));
  const own = { platform, adAccountId: fixture.adAccountIds.usd };
  const source = await plant(app, own, { name: 'Source', adSets });
  const path = `/v1/ads/campaigns/${source}/duplicate`;
  let id = '';
  const trips = await counting.count(async () => {
    const { body } = await app.call('POST', path, { key: fixture.key, body: { platform, syncAfter: false } });
    id = body.duplicationId;
    await runDuplication(app.app.services, id);
  });
  const answer = await app.call('GET', `/v1/ads/campaigns/duplications/${id}`, { key: fixture.key });
  const { duplication } = answer.body;
  expect(duplication).toMatchObject({ status: 'completed', ads: { copied: 3 * ads, total: 3 * ads } });
  return { ...trips, objects: new Set(duplication.objects.map((one: { copiedId: string }) => one.copiedId)) };
}

it.each([
  ['network-a', { database: 1.5, redis: 1 }],
  ['network-c', { database: 0.5, redis: 0.5 }],
] as const)('copying each further ad on %s takes at most so many round trips: %j', async (platform, most) => {
  const [few, many] = [await copied(platform, 10), await copied(platform, 40)];
  // Steps of a large copy are in two places.
  expect([few.objects.size, many.objects.size]).toEqual([34, 124]);
  const each = (trips: 'database' | 'redis'): number => (many[trips] - few[trips]) / 90;
  expect(each('database')).toBeLessThanOrEqual(most.database);
  expect(each('redis')).toBeLessThanOrEqual(most.redis);
});
