import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture } from '../support/user-fixture.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());

describe('several mutations in one request', () => {
  it('answer those that succeeded beside the one that failed', async () => {
    const fixture = await createUserFixture(app);
    const query = `mutation {
      good: createProfile(input: { name: "Good" }) { profile { id } }
      bad: createProfile(input: { name: "Default" }) { profile { id } }
    }`;
    const { body } = await app.graphql(query, {}, { key: fixture.key });
    expect(body.data).toEqual({ good: { profile: { id: expect.any(String) } }, bad: null });
    expect(body.errors).toMatchObject([{ path: ['bad'], extensions: { code: 'profile_name_conflict' } }]);
  });
});
