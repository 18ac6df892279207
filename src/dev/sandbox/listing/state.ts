import { createAuthServer, type AuthServer } from '../oauth/auth-server.ts';
import type { Collection, State } from '../state.ts';

export type Fields = Record<string, unknown>;

export interface Person {
  id: string;
  name: string;
}

export interface Account {
  id: string;
  personId: string;
  accountName: string;
  type: 'PERSONAL' | 'LOCATION_GROUP';
}

export interface Attribute {
  name: string;
  values?: unknown[];
  uriValues?: { uri: string }[];
  repeatedEnumValue?: { setValues?: string[]; unsetValues?: string[] };
}

export interface Location {
  id: string;
  personId: string;
  /** The accounts that list it. */
  accountIds: string[];
  /** The location's fields without its name. */
  fields: Fields;
  attributes: Attribute[];
}

interface Settings {
  editsPerMinute?: number;
  /** Whether the platform has granted the app access to its API; true by default. */
  hasAccess?: boolean;
}

export interface SandboxState extends AuthServer<Person, 'access' | 'refresh'> {
  accounts: Collection<Account>;
  locations: Collection<Location>;
  settings: Collection<Settings>;
  newId: () => string;
  /** Edit timestamps per location within the last minute. */
  edits: Map<string, number[]>;
}

export function createState(state: State): SandboxState {
  const counter = state.collection<number>('listing.counter');
  return {
    ...createAuthServer<Person, 'access' | 'refresh'>(state, {
      platform: 'listing',
      collections: 'listing',
      tokens: { access: { prefix: 'ya29.', lifetimeSeconds: 3599 }, refresh: { prefix: '1//0' } },
    }),
    accounts: state.collection('listing.accounts'),
    locations: state.collection('listing.locations'),
    settings: state.collection('listing.settings'),
    newId() {
      const next = (counter.get('next') ?? 0) + 1;
      counter.put('next', next);
      return String(10_203_040_506_070_000_000n + BigInt(next));
    },
    edits: new Map(),
  };
}

export const editLimit = (sandbox: SandboxState): number => sandbox.settings.get('all')?.editsPerMinute ?? 10;
