import { afterAll, beforeAll, expect, it } from 'vitest';
import { lookUpAdAccount, lookUpTarget } from '../../../src/services/lookups/lookup-target.ts';
import { createUserFixture, openStore, type Store } from './fixture.ts';

let store: Store;
beforeAll(async () => void (store = await openStore()));
afterAll(() => store.stop());

it('asks look-ups of the first active ad account, and of the first one when none is active', async () => {
  for (const [states, expected] of [
    [[false, true, true], 'act_1'],
    [[false, false], 'act_0'],
  ] as const) {
    const { ctx, account, fake } = await createUserFixture(store);
    Object.assign(fake.adapter, { looksUpByAdAccount: true });
    fake.adapter.listAdAccounts = async () =>
      states.map((isActive, at) => ({ id: `act_${at}`, name: `${at}`, currency: 'USD', isActive }));
    const target = await lookUpTarget(ctx, account._id);
    expect((await lookUpAdAccount(ctx, target, undefined))?.id).toBe(expected);
  }
});
