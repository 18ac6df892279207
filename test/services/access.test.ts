import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import {
  reachesProfile,
  requireAccount,
  requireAdsAccess,
  requireFullScope,
  requireProfile,
  requireWrite,
} from '../../src/services/access.ts';
import { saveAccount } from '../../src/services/accounts/save-account.ts';
import type { Caller, Ctx, Plan } from '../../src/services/context.ts';
import { makeCtx, makeServices, type TestServices } from '../support/services.ts';

let services: TestServices;
let ctx: Ctx;
let profileId: string;
let accountId: string;

beforeAll(async () => {
  services = await makeServices();
  ctx = await makeCtx(services);
  profileId = (await ctx.db.profiles.findOne({ userId: ctx.caller.userId }).lean().orFail())._id;
  const connection = { userId: ctx.caller.userId, profileId, platform: 'network-a', platformAccountId: '1' } as const;
  accountId = (await saveAccount(services, { ...connection, username: 'a', displayName: 'A', token: 't' }))._id;
});
afterAll(() => services.stop());

const as = (caller: Partial<Caller>): Ctx => ({ ...ctx, caller: { ...ctx.caller, ...caller } });
const restricted = (...profileIds: string[]): Ctx => as({ scope: 'profiles', profileIds });

describe('what a key may do', () => {
  it('a read key may not write', () => {
    expect(() => requireWrite(ctx)).not.toThrow();
    expect(() => requireWrite(as({ permission: 'read' }))).toThrow(/read-only/);
  });

  it('a key of scope profiles may not manage what belongs to the user', () => {
    expect(() => requireFullScope(ctx)).not.toThrow();
    expect(() => requireFullScope(restricted(profileId))).toThrow(/scope full/);
  });

  it.each<[Plan, string[], boolean]>([
    ['free', [], false],
    ['build', [], false],
    ['accelerate', [], false],
    ['unlimited', [], false],
    ['usage-based', [], true],
    ['free', ['ads'], true],
    ['unlimited', ['ads'], true],
    ['unlimited', ['inbox'], false],
  ])('plan %s with add-ons %j: ads %s', (plan, addons, may) => {
    const check = (): void => requireAdsAccess(as({ plan, addons }));
    if (may) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ code: 'ads_access_required' }));
  });
});

describe('what a key reaches', () => {
  it('with full scope: all that is its own', async () => {
    expect(reachesProfile(ctx, profileId)).toBe(true);
    expect((await requireProfile(ctx, profileId))._id).toBe(profileId);
    expect((await requireAccount(ctx, accountId))._id).toBe(accountId);
  });

  it('with scope profiles: the named ones and what belongs to them', async () => {
    expect((await requireAccount(restricted(profileId), accountId))._id).toBe(accountId);
    await expect(requireAccount(restricted(newId()), accountId)).rejects.toMatchObject({ code: 'account_not_found' });
    await expect(requireProfile(restricted(), profileId)).rejects.toMatchObject({ code: 'profile_not_found' });
  });

  it("never another person's, not even when the key names their profile", async () => {
    const other = await makeCtx(services);
    const named = { ...other, caller: { ...other.caller, scope: 'profiles' as const, profileIds: [profileId] } };
    for (const foreign of [other, named]) {
      await expect(requireProfile(foreign, profileId)).rejects.toMatchObject({ code: 'profile_not_found' });
      await expect(requireAccount(foreign, accountId)).rejects.toMatchObject({ code: 'account_not_found' });
    }
  });

  it('answers with the code that the endpoint asks for', async () => {
    await expect(requireProfile(ctx, newId(), 'profile_forbidden')).rejects.toMatchObject({
      code: 'profile_forbidden',
    });
    await expect(requireAccount(ctx, newId(), 'linked_account_required')).rejects.toMatchObject({
      code: 'linked_account_required',
      extras: { param: 'accountId' },
    });
  });
});
