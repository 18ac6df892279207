import { createCodes, type Codes } from '../codes.ts';
import type { Collection, State } from '../state.ts';
import { createTokens, type Tokens } from '../tokens.ts';

export interface Person {
  id: string;
  name: string;
  username: string;
  organizationIds: string[];
  /** Organizations whose profiles the user has no role for. */
  withoutRole?: string[];
  /** The profile that `my_profile` returns. */
  profileId: string;
}

export interface Organization {
  id: string;
  name: string;
}

export interface Profile {
  id: string;
  organizationId: string;
  displayName: string;
  username: string;
  subscribers: number;
  createdAt: string;
  /** The error that replaces this profile in lists. */
  failure?: string;
}

export interface Settings {
  /** Only clients on the platform's allowlist may call the API. */
  isAllowed: boolean;
  /** Whether each refresh rotates the refresh token. */
  isRotating: boolean;
}

export interface SandboxState {
  people: Collection<Person>;
  organizations: Collection<Organization>;
  profiles: Collection<Profile>;
  codes: Codes;
  tokens: Tokens;
  settings: () => Settings;
  set: (settings: Partial<Settings>) => Settings;
}

export const lifetime = 3600;

export function createState(state: State): SandboxState {
  const stored = state.collection<Settings>('ephemeral.settings');
  const settings = (): Settings => stored.get('all') ?? { isAllowed: true, isRotating: true };
  return {
    people: state.collection('ephemeral.people'),
    organizations: state.collection('ephemeral.organizations'),
    profiles: state.collection('ephemeral.profiles'),
    codes: createCodes(state, 'ephemeral.codes'),
    tokens: createTokens(state, {
      collection: 'ephemeral.tokens',
      lifetime,
      prefix: { access: 'hCgwKCj', refresh: 'hCgsKCz' },
    }),
    settings,
    set(change) {
      stored.put('all', { ...settings(), ...change });
      return settings();
    },
  };
}
