import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/lib/id.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { createUserFixture, type UserFixture } from '../../support/user-fixture.ts';
import { verifying, type Ended } from './support.ts';

let app: TestApp;
let fixture: UserFixture;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

const withAccount = (id: string, more: Record<string, string | undefined> = {}, platform = 'A'): Promise<Ended> =>
  verifying({ ...app.env, UPSTREAM_AD_ACCOUNT: fixture.adAccountIds.usd, ...more }, [
    '--platform',
    platform,
    '--account',
    id,
    '--only',
    'ad-accounts',
  ]);

describe('the comparison with a connected account', () => {
  it('uses its stored token, and shows it nowhere', async () => {
    const { code, output, warnings } = await withAccount(fixture.accountId);
    expect({ code, warnings }).toEqual({ code: 0, warnings: '' });
    expect(output).toContain('same     ad-accounts');
    expect(output).not.toContain(fixture.token);
  });

  it('rejects an unknown account, one of another platform and missing keys', async () => {
    const unknown = newId();
    expect(await withAccount(unknown)).toMatchObject({ code: 2, warnings: `There is no account ${unknown}.\n` });
    expect((await withAccount('1')).warnings).toBe('--account must be the id of a connected account.\n');
    expect((await withAccount(fixture.accountId, {}, 'C')).warnings).toContain(
      'is one of network-a, not of platform C',
    );
    expect((await withAccount(fixture.accountId, { ENCRYPTION_KEYS: '' })).warnings).toContain('ENCRYPTION_KEYS');
  });

  it('leaves a token that has ended to the service', async () => {
    const { db } = app.app.services;
    await db.accounts.updateOne({ _id: fixture.accountId }, { $set: { tokenExpiresAt: new Date() } });
    const { code, warnings } = await withAccount(fixture.accountId);
    expect({ code, warnings }).toEqual({
      code: 2,
      warnings: `The token of ${fixture.accountId} has ended: let the service renew it by a call first.\n`,
    });
  });
});
