import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import type { AdsAdapter } from '../../src/platforms/platform.ts';
import { listAdAccounts } from '../../src/services/accounts/list-ad-accounts.ts';
import { saveAccount, type Connection } from '../../src/services/accounts/save-account.ts';
import { accessFor } from '../../src/services/accounts/platform-access.ts';
import { fakePlatform } from './ads/fake-platform.ts';
import { tokenIn } from '../support/encrypted.ts';
import { makeServices, type TestServices } from '../support/services.ts';

let services: TestServices;
let connection: Connection;

beforeAll(async () => {
  services = await makeServices();
});
afterAll(() => services.stop());
beforeEach(() => {
  connection = {
    userId: newId(),
    profileId: newId(),
    platform: 'network-a',
    platformAccountId: 'page-1',
    username: 'shop',
    displayName: 'Shop',
    token: 'token-1',
    refreshToken: 'refresh-1',
    pageId: 'page-1',
  };
});
const save = (extra: Partial<Connection> = {}) => saveAccount(services, { ...connection, ...extra });

describe('saving an account', () => {
  it('stores its tokens encrypted', async () => {
    const account = await save();
    expect(JSON.stringify(account)).not.toMatch(/token-1|refresh-1/);
    expect(tokenIn(services.encrypter, account, 'encryptedToken')).toBe('token-1');
    expect(tokenIn(services.encrypter, account, 'encryptedRefreshToken')).toBe('refresh-1');
  });

  it('keeps the id of one that is connected again, heals it and takes the new token', async () => {
    const first = await save();
    await services.db.accounts.updateOne({ _id: first._id }, { $set: { needsReconnect: true, isActive: false } });
    const again = await save({ token: 'token-2', displayName: 'New name' });
    expect(again).toMatchObject({ _id: first._id, displayName: 'New name', needsReconnect: false, isActive: true });
    expect((await accessFor(services, again)).token).toBe('token-2');
  });

  it('never loses a refresh token because the platform sent none', async () => {
    await save();
    const again = await save({ refreshToken: undefined });
    expect(tokenIn(services.encrypter, again, 'encryptedRefreshToken')).toBe('refresh-1');
  });

  it('makes one of many at once', async () => {
    const saved = await Promise.all(Array.from({ length: 10 }, () => save()));
    expect(new Set(saved.map(({ _id }) => _id)).size).toBe(1);
  });

  it('keeps the same account of two users apart', async () => {
    expect((await save())._id).not.toBe((await save({ userId: newId() }))._id);
  });
});

describe('using a token', () => {
  it('hands the adapter what it needs, and nothing of ours', async () => {
    expect(await accessFor(services, await save())).toEqual({
      accountPlatform: 'network-a',
      token: 'token-1',
      tokenSecret: undefined,
      pageId: 'page-1',
      photoAccountId: undefined,
      platformAccountId: expect.any(String),
      displayName: expect.any(String),
      platformState: {},
      keep: expect.any(Function),
      clock: services.clock,
    });
  });

  it('says that the account must be connected again', async () => {
    const account = await save();
    for (const broken of [
      { ...account, needsReconnect: true },
      { ...account, encryptedToken: null },
    ]) {
      await expect(accessFor(services, broken)).rejects.toMatchObject({ code: 'platform_token_expired' });
    }
  });
});

describe('ad accounts', () => {
  const counting = (): { adapter: AdsAdapter; asked: () => number } => {
    let asked = 0;
    const adapter: AdsAdapter = {
      ...fakePlatform({ now: () => services.clock.now().getTime() }).adapter,
      listAdAccounts: async () => {
        asked++;
        return [{ id: `act_${asked}`, name: 'Main', currency: 'EUR', isActive: true }];
      },
    };
    return { adapter, asked: () => asked };
  };
  const read = async (id: string) => services.db.accounts.findOne({ _id: id }).lean().orFail();

  it('are asked of the platform once an hour', async () => {
    const { _id } = await save();
    const { adapter, asked } = counting();
    await listAdAccounts(services, { adapter, account: await read(_id) });
    services.pass(3599);
    expect(await listAdAccounts(services, { adapter, account: await read(_id) })).toMatchObject([
      { id: 'act_1', currency: 'EUR' },
    ]);
    expect(asked()).toBe(1);
    services.pass(1);
    expect(await listAdAccounts(services, { adapter, account: await read(_id) })).toMatchObject([{ id: 'act_2' }]);
  });

  it('are recorded once if the platform repeats them on a later page', async () => {
    const { _id } = await save();
    const one = { id: 'act_1', name: 'Main', currency: 'EUR', isActive: true };
    const adapter: AdsAdapter = {
      ...counting().adapter,
      listAdAccounts: async () => [one, { ...one, id: 'act_2' }, one],
    };
    const found = await listAdAccounts(services, { adapter, account: await read(_id) });
    expect(found.map(({ id }) => id)).toEqual(['act_1', 'act_2']);
    expect((await read(_id)).adAccounts).toEqual(found);
  });

  it('are asked again after connecting again', async () => {
    const { _id } = await save();
    const { adapter, asked } = counting();
    await listAdAccounts(services, { adapter, account: await read(_id) });
    await save();
    await listAdAccounts(services, { adapter, account: await read(_id) });
    expect(asked()).toBe(2);
  });
});
