import { describe, expect, it } from 'vitest';
import type { AccountDoc } from '../../src/models/account.ts';
import { scopeTables } from '../../src/platforms/scopes.ts';
import { missingScopes, requireScopes } from '../../src/services/accounts/scopes.ts';

const services = { connectors: { professional: { scopes: scopeTables.professional } } } as never;
const account = (scopes: unknown) => ({ _id: 'a', platform: 'professional', profileId: 'p', scopes }) as AccountDoc;

describe('the scopes of an account', () => {
  it.each([[null], [[]], [undefined]])('are unknown and refuse nothing when %j is stored', (stored) => {
    expect(missingScopes(services, account(stored))).toEqual([]);
    expect(() => requireScopes(services, account(stored), 'createAds')).not.toThrow();
  });

  it('refuse what they do not allow when some are stored', () => {
    expect(() => requireScopes(services, account(['r_ads']), 'readAds')).not.toThrow();
    expect(() => requireScopes(services, account(['r_ads']), 'changeAds')).toThrow(/did not grant rw_ads/);
  });
});
