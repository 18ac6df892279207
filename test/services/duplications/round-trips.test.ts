import { afterAll, beforeAll, expect, it } from 'vitest';
import { runDuplication } from '../../../src/services/duplications/run-duplication.ts';
import { startCountedApp, type CountedApp, type RoundTrips } from '../../support/round-trips.ts';
import { createUserFixture } from '../../support/user-fixture.ts';
import { plant, type CopyPlatform } from './fixture.ts';

let counting: CountedApp;
beforeAll(async () => void (counting = await startCountedApp()));
afterAll(() => counting.stop());

/** Round trips of copying a campaign with so many ads in each of three ad sets, from the call to the last ad. */
async function copied(platform: CopyPlatform, ads: number): Promise<RoundTrips> {
  const { app } = counting;
  const fixture = await createUserFixture(app, { platform });
  const names = Array.from({ length: ads }, (_, at) => ({ name: `Ad ${at}` }));
  const adSets = Array.from({ length: 3 }, (_, at) => ({ name: `Set ${at}`, ads: names }));
  const own = { platform, adAccountId: fixture.adAccountIds.usd };
  const source = await plant(app, own, { name: 'Source', adSets });
  const path = `/v1/ads/campaigns/${source}/duplicate`;
  return counting.count(async () => {
    const { body } = await app.call('POST', path, { key: fixture.key, body: { platform, syncAfter: false } });
    await runDuplication(app.app.services, body.duplicationId);
    const doc = await app.app.services.db.duplications.findOne({ _id: body.duplicationId }).lean();
    expect(doc).toMatchObject({ status: 'completed', copied: { adSets: 3, ads: 3 * ads } });
  });
}

it.each([
  ['network-a', { database: 1.5, redis: 1 }],
  ['network-c', { database: 0.5, redis: 0.5 }],
] as const)('copying each further ad on %s takes at most so many round trips: %j', async (platform, most) => {
  const [few, many] = [await copied(platform, 10), await copied(platform, 40)];
  const each = (trips: 'database' | 'redis'): number => (many[trips] - few[trips]) / 90;
  expect(each('database')).toBeLessThanOrEqual(most.database);
  expect(each('redis')).toBeLessThanOrEqual(most.redis);
});
