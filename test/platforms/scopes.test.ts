import { describe, expect, it } from 'vitest';
import { namedScopes, scopeTables } from '../../src/platforms/scopes.ts';
import { GrantedScopes } from '../../src/platforms/token-errors.ts';
import { platformScopes } from '../../src/dev/sandbox/oauth/scopes.ts';

describe('the table of scopes', () => {
  it('requests only scopes that the sandbox can grant', () => {
    for (const [account, { asked }] of Object.entries(scopeTables)) {
      if (asked.length === 0) continue;
      const platform = account === 'network-b' ? 'network-a' : account;
      expect(platformScopes[platform]?.toSorted(), account).toEqual(asked.toSorted());
    }
  });

  it('requests all scopes that calls require', () => {
    for (const [account, { asked, needs }] of Object.entries(scopeTables))
      for (const anyOf of Object.values(needs).flat()) expect(asked, account).toContain(anyOf[0]);
  });
});

describe('granted scopes', () => {
  it.each([
    ['a b', ['a', 'b']],
    ['a,b', ['a', 'b']],
    ['a, b', ['a', 'b']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [
      [4, 10],
      ['4', '10'],
    ],
    ['', undefined],
    [[], undefined],
    [undefined, undefined],
    [{ odd: true }, undefined],
  ])('are read from %j', (said, scopes) => {
    expect(GrantedScopes.parse(said)).toEqual(scopes);
  });

  it('are found in the text of a rejection', () => {
    expect(namedScopes('network-a', '(#200) Requires ads_management permission to manage the object')).toEqual([
      'ads_management',
    ]);
    expect(namedScopes('pin-board', 'It must be authorized with these scopes: ads:write, pins:read.')).toEqual([
      'ads:write',
      'pins:read',
    ]);
    expect(namedScopes('network-a', 'Permissions error')).toBeUndefined();
  });
});
