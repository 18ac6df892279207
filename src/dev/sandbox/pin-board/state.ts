import { createAuthServer, type AuthServer } from '../oauth/auth-server.ts';
import { createFiguresStore, type FiguresStore } from '../figures/store.ts';
import type { Collection, State } from '../state.ts';

export type Fields = Record<string, unknown>;

export interface Person {
  id: string;
  name: string;
  username: string;
}

/** A token of an app with trial access may not create pins. */
export interface Trial {
  isTrial?: boolean;
}

export interface Audience {
  id: string;
  name: string;
  size: number;
}

export interface AdAccount {
  id: string;
  name: string;
  currency: string;
  country: string;
  ownerId: string;
  /** Other users with access to it. */
  memberIds: string[];
  tagId: string;
  audiences: Audience[];
  createdAt: number;
}

export interface Board {
  id: string;
  ownerId: string;
  createdAt: number;
  fields: Fields;
}

export interface Pin extends Board {
  boardId: string;
  isPromoted?: boolean;
}

/** A campaign, ad group or ad with its stored fields. */
export interface Entity {
  id: string;
  accountId: string;
  /** Parent ids: none, the campaign, or ad group and campaign. */
  parentIds: string[];
  createdAt: number;
  updatedAt: number;
  /** When it was first active, in seconds. */
  ranSince?: number;
  fields: Fields;
}

/** A report that was asked for, and what becomes of it. */
export interface Report {
  token: string;
  accountId: string;
  request: Fields;
  createdAt: number;
  /** Calls that see it in progress. */
  polls: number;
  outcome: 'FINISHED' | 'FAILED' | 'CANCELLED';
}

/** A collection with an index of ids by owner, so that requests do not scan everything. */
export interface Shelf<T> {
  get: (id: string) => T | undefined;
  put: (value: T) => void;
  /** Oldest first. */
  under: (key: string) => string[];
  ids: string[];
}

export type Kind = 'campaigns' | 'ad_groups' | 'ads';

export interface SandboxState extends AuthServer<Person, 'access' | 'refresh', Trial> {
  accounts: Shelf<AdAccount>;
  boards: Shelf<Board>;
  pins: Shelf<Pin>;
  entities: Record<Kind, Shelf<Entity>>;
  figures: FiguresStore;
  reports: Collection<Report>;
  /** Of reports that are asked for from now on. */
  reportSettings: Pick<Report, 'polls' | 'outcome'>;
  newId: (prefix: string) => string;
}

export const seconds = (): number => Math.floor(Date.now() / 1000);

export function createState(state: State): SandboxState {
  const of = <T>(name: string): Collection<T> => state.collection<T>(`pin-board.${name}`);
  const counter = of<number>('counter');
  const entityKeys = ({ accountId, parentIds }: Entity): string[] => [accountId, ...parentIds];
  return {
    ...createAuthServer<Person, 'access' | 'refresh', Trial>(state, {
      platform: 'pin-board',
      collections: 'pin-board',
      tokens: {
        access: { prefix: 'pina_', lifetimeSeconds: 30 * 24 * 3600 },
        refresh: { prefix: 'pinr_', lifetimeSeconds: 60 * 24 * 3600 },
      },
    }),
    accounts: createShelf(of<AdAccount>('accounts'), ({ ownerId, memberIds }) => [ownerId, ...memberIds]),
    boards: createShelf(of<Board>('boards'), ({ ownerId }) => [ownerId]),
    pins: createShelf(of<Pin>('pins'), ({ ownerId, boardId }) => [ownerId, boardId]),
    entities: {
      campaigns: createShelf(of<Entity>('campaigns'), entityKeys),
      ad_groups: createShelf(of<Entity>('ad-groups'), entityKeys),
      ads: createShelf(of<Entity>('ads'), entityKeys),
    },
    figures: createFiguresStore(state, 'pin-board'),
    reports: of<Report>('reports'),
    reportSettings: { polls: 1, outcome: 'FINISHED' },
    // Later ids are greater and have equal length: lists are ordered by id.
    newId(prefix) {
      const next = (counter.get('next') ?? 0) + 1;
      counter.put('next', next);
      return prefix + String(next).padStart(9, '0');
    },
  };
}

function createShelf<T extends { id: string }>(collection: Collection<T>, keysOf: (value: T) => string[]): Shelf<T> {
  const [ids, below] = [[] as string[], new Map<string, string[]>()];
  const note = (value: T): void => {
    ids.push(value.id);
    for (const key of keysOf(value)) {
      const list = below.get(key);
      if (list) list.push(value.id);
      else below.set(key, [value.id]);
    }
  };
  for (const value of collection.all()) note(value);
  return {
    get: collection.get,
    put(value) {
      const isNew = collection.get(value.id) === undefined;
      collection.put(value.id, value);
      if (isNew) note(value);
    },
    under: (key) => below.get(key) ?? [],
    ids,
  };
}

interface NewPerson {
  name: string;
  currencies: string[];
  /** Other users with access to the accounts. */
  memberIds?: string[];
}

/** Creates a user with a board and an ad account per currency. */
export function addPerson(sandbox: SandboxState, requested: NewPerson): Person {
  const id = sandbox.newId('278313612');
  const username = `${requested.name.toLowerCase().replace(/[^a-z0-9]+/g, '') || 'shop'}${id.slice(-4)}`;
  const person = { id, name: requested.name, username };
  sandbox.people.put(id, person);
  addBoard(sandbox, id, { name: 'Products', description: '', privacy: 'PUBLIC', is_ads_only: false });
  for (const currency of requested.currencies)
    addAccount(sandbox, { person, memberIds: requested.memberIds ?? [] }, currency);
  return person;
}

const countries: Record<string, string> = { USD: 'US', GBP: 'GB', EUR: 'DE', JPY: 'JP', CAD: 'CA', AUD: 'AU' };

function addAccount(
  sandbox: SandboxState,
  { person, memberIds }: { person: Person; memberIds: string[] },
  currency: string,
): void {
  sandbox.accounts.put({
    id: sandbox.newId('549'),
    name: `${person.name} ${currency}`,
    currency,
    country: countries[currency] ?? 'US',
    ownerId: person.id,
    memberIds,
    tagId: sandbox.newId('261'),
    audiences: [
      { id: sandbox.newId('254'), name: 'Buyers', size: 5_000 },
      { id: sandbox.newId('254'), name: 'Too few', size: 50 },
    ],
    createdAt: seconds(),
  });
}

export function addBoard(sandbox: SandboxState, ownerId: string, fields: Fields): Board {
  const board = { id: sandbox.newId('549755885'), ownerId, createdAt: seconds(), fields };
  sandbox.boards.put(board);
  return board;
}
