import { createCodes, type Codes } from '../codes.ts';
import type { Collection, State } from '../state.ts';
import { createTokens, type Tokens } from '../tokens.ts';

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

export interface SandboxState {
  people: Collection<Person>;
  accounts: Collection<Account>;
  locations: Collection<Location>;
  settings: Collection<Settings>;
  codes: Codes;
  tokens: Tokens;
  newId: () => string;
  /** Edit timestamps per location within the last minute. */
  edits: Map<string, number[]>;
}

export const lifetime = 3599;

export function createState(state: State): SandboxState {
  const counter = state.collection<number>('listing.counter');
  return {
    people: state.collection('listing.people'),
    accounts: state.collection('listing.accounts'),
    locations: state.collection('listing.locations'),
    settings: state.collection('listing.settings'),
    codes: createCodes(state, 'listing.codes'),
    tokens: createTokens(state, {
      collection: 'listing.tokens',
      lifetime,
      prefix: { access: 'ya29.', refresh: '1//0' },
    }),
    newId() {
      const next = (counter.get('next') ?? 0) + 1;
      counter.put('next', next);
      return String(10_203_040_506_070_000_000n + BigInt(next));
    },
    edits: new Map(),
  };
}

export const editLimit = (sandbox: SandboxState): number => sandbox.settings.get('all')?.editsPerMinute ?? 10;
