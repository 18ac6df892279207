import { createAuthServer, type AuthServer } from '../oauth/auth-server.ts';
import type { Collection, State } from '../state.ts';

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

export interface SandboxState extends AuthServer<Person, 'access' | 'refresh'> {
  organizations: Collection<Organization>;
  profiles: Collection<Profile>;
  settings: () => Settings;
  set: (settings: Partial<Settings>) => Settings;
}

export function createState(state: State): SandboxState {
  const stored = state.collection<Settings>('ephemeral.settings');
  const settings = (): Settings => stored.get('all') ?? { isAllowed: true, isRotating: true };
  return {
    ...createAuthServer<Person, 'access' | 'refresh'>(state, {
      platform: 'ephemeral-messaging',
      collections: 'ephemeral',
      tokens: { access: { prefix: 'hCgwKCj', lifetimeSeconds: 3600 }, refresh: { prefix: 'hCgsKCz' } },
    }),
    organizations: state.collection('ephemeral.organizations'),
    profiles: state.collection('ephemeral.profiles'),
    settings,
    set(change) {
      stored.put('all', { ...settings(), ...change });
      return settings();
    },
  };
}
