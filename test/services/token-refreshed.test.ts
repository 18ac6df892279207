import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import { tokenRefreshed } from '../../src/telemetry/events.ts';
import { PlatformError } from '../../src/platforms/error.ts';
import { refreshedAccount } from '../../src/services/accounts/refresh-token.ts';
import { saveAccount } from '../../src/services/accounts/save-account.ts';
import { makeCtx, makeServices, type TestServices } from '../support/services.ts';

let services: TestServices;

beforeAll(async () => {
  services = await makeServices();
});
afterAll(() => services.stop());

it('reports each renewal of a token with its outcome', async () => {
  const published: string[] = [];
  const end = tokenRefreshed.on(({ platform, outcome }) => published.push(`${platform} ${outcome}`));
  const { caller } = await makeCtx(services);
  const profile = await services.db.profiles.findOne({ userId: caller.userId }).lean().orFail();
  const ways = [
    async () => ({ token: 'fresh' }),
    async () => Promise.reject(new PlatformError('C', 'unavailable', 'away')),
    async () => Promise.reject(new PlatformError('C', 'auth_expired', 'over')),
  ];
  for (const refresh of ways) {
    const account = await saveAccount(services, {
      userId: caller.userId,
      profileId: profile._id,
      platform: 'pin-board',
      platformAccountId: newId(),
      username: 'u',
      displayName: 'U',
      token: 'old',
      refreshToken: 'r',
    });
    await refreshedAccount({ ...services, refreshers: { 'pin-board': refresh } }, account).catch(() => undefined);
  }
  end();
  expect(published).toEqual(['pin-board renewed', 'pin-board failed', 'pin-board refused']);
});
