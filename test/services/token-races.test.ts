import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountPlatform } from '../../src/contract/platforms.ts';
import { newId } from '../../src/lib/id.ts';
import { createEncrypter } from '../../src/lib/encryption.ts';
import type { AccountDoc } from '../../src/models/account.ts';
import { PlatformError } from '../../src/platforms/error.ts';
import { withAccess } from '../../src/services/accounts/platform-access.ts';
import { saveAccount, type Connection } from '../../src/services/accounts/save-account.ts';
import type { Services } from '../../src/services/context.ts';
import { tokenIn } from '../support/encrypted.ts';
import { makeCtx, makeServices, type TestServices } from '../support/services.ts';

let services: TestServices;
beforeAll(async () => {
  services = await makeServices();
  Object.assign(services, { encrypter: createEncrypter([`test:${randomBytes(32).toString('base64')}`]) });
});
afterAll(() => services.stop());

/** Connects an account; called again with the same connection, reconnects it. */
async function connectionOn(platform: AccountPlatform): Promise<Connection> {
  const { caller } = await makeCtx(services);
  const profile = await services.db.profiles.findOne({ userId: caller.userId }).lean().orFail();
  const own = { userId: caller.userId, profileId: profile._id, platform, platformAccountId: newId() };
  return { ...own, username: 'u', displayName: 'U', token: 'old', refreshToken: 'r-old' };
}

const stored = ({ _id }: AccountDoc): Promise<AccountDoc> => services.db.accounts.findOne({ _id }).lean().orFail();
const expired = (): Promise<never> => Promise.reject(new PlatformError('A', 'auth_expired', 'over'));

describe('an account that is reconnected while its old token is being refused', () => {
  it('is not cut off', async () => {
    const connection = await connectionOn('network-a');
    const account = await saveAccount(services, connection);
    const call = withAccess(services, account, async () => {
      await saveAccount(services, { ...connection, token: 'new' });
      return expired();
    });
    await expect(call).rejects.toMatchObject({ fault: 'auth_expired' });
    expect(await stored(account)).toMatchObject({ needsReconnect: false, isActive: true });
  });

  it('keeps its new token when a renewal of the old one comes late', async () => {
    const connection = await connectionOn('pin-board');
    const account = await saveAccount(services, connection);
    const refresh = async () => {
      await saveAccount(services, { ...connection, token: 'new', refreshToken: 'r-new' });
      return { token: 'renewed', refreshToken: 'r-renewed' };
    };
    const used: string[] = [];
    const late: Services = { ...services, refreshers: { 'pin-board': refresh } };
    await withAccess(late, account, async ({ token }) => {
      used.push(token);
      return token === 'old' ? expired() : undefined;
    });
    expect(used).toEqual(['old', 'new']);
    const after = await stored(account);
    expect(tokenIn(services.encrypter, after, 'encryptedToken')).toBe('new');
    expect(tokenIn(services.encrypter, after, 'encryptedRefreshToken')).toBe('r-new');
  });

  it('keeps a rotated token that comes after the lease of its renewal has ended', async () => {
    const account = await saveAccount(services, await connectionOn('pin-board'));
    const refresh = async () => {
      await services.db.accounts.updateOne({ _id: account._id }, { $set: { refreshLease: null } });
      return { token: 'renewed', refreshToken: 'r-renewed' };
    };
    const late: Services = { ...services, refreshers: { 'pin-board': refresh } };
    await withAccess(late, account, ({ token }) => (token === 'old' ? expired() : Promise.resolve()));
    expect(tokenIn(services.encrypter, await stored(account), 'encryptedRefreshToken')).toBe('r-renewed');
  });
});
