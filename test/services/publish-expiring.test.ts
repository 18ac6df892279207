import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishExpiringKeys } from '../../src/services/api-keys/publish-expiring.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture } from '../support/user-fixture.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());

const day = 86_400_000;
const after = (ms: number): Date => new Date(Date.now() + ms);

describe('api_key.expiring', () => {
  it.each([
    ['in six days', after(6 * day), 1],
    ['in eight days', after(8 * day), 0],
    ['never', null, 0],
    ['already', after(-day), 0],
  ])('a key that ends %s is reported as often as expected: %#', async (_when, expiresAt, count) => {
    const { services } = app.app;
    const fixture = await createUserFixture(app);
    const { id } = await fixture.keyWith({ expiresAt });
    await publishExpiringKeys(services);
    await publishExpiringKeys(services);
    const key = await services.db.apiKeys.findOne({ _id: id }).lean();
    expect(key?.pendingEvents?.filter(({ type }) => type === 'api_key.expiring')).toHaveLength(count);
  });
});
