import { createAuthServer, type AuthServer } from '../oauth/auth-server.ts';
import { createFiguresStore, type FiguresStore } from '../figures/store.ts';
import type { Collection, State } from '../state.ts';

/** Parameters as sent: every value is a string. */
export type Params = Record<string, string>;

export interface Person {
  id: string;
  name: string;
  username: string;
}

export interface Funding {
  id: string;
  currency: string;
  isAble: boolean;
  createdAt: string;
}

export interface AdAccount {
  id: string;
  userId: string;
  name: string;
  currency: string;
  timezone: string;
  createdAt: string;
  funding: Funding[];
  promotable: { id: string; userId: string; type: 'FULL' | 'RETWEETS_ONLY' }[];
  webEventTagId: string;
  audiences: { id: string; isTargetable: boolean }[];
  /** ACCEPTED by default. */
  approvalStatus?: string;
}

/** The token of an OAuth 1.0a pair, for the ads API, and those of OAuth 2, for the posting API. */
export type TokenKind = 'signing' | 'access' | 'refresh';

/** The secret of an OAuth 1.0a pair. */
export interface PairSecret {
  secret?: string;
}

export interface RequestToken {
  token: string;
  secret: string;
  callback: string;
  verifier?: string;
  userId?: string;
  isUsed: boolean;
}

export type Kind = 'campaign' | 'line_item' | 'promoted_tweet' | 'targeting_criterion' | 'tweet';

/** An object of an ad account. */
export interface Thing {
  id: string;
  kind: Kind;
  accountId: string;
  /** The campaign of a line item, the author of a tweet, otherwise the line item. */
  parentId: string;
  fields: Params;
  createdAt: string;
  updatedAt: string;
  isDeleted: boolean;
}

/** A report that the platform prepares. */
export interface StatsJob {
  id: string;
  accountId: string;
  params: Params;
  createdAt: number;
  /** How often it is read until it is finished. */
  readsLeft: number;
  outcome: string;
}

export interface Settings {
  /** How often a new job is read until it is finished, and how it ends. */
  readsOfJobs: number;
  outcomeOfJobs: string;
  hasAdsAccess: boolean;
  isRateEnforced: boolean;
  activeCampaigns: number;
  activeLineItems: number;
}

export interface SandboxState extends AuthServer<Person, TokenKind, PairSecret> {
  accounts: Collection<AdAccount>;
  requestTokens: Collection<RequestToken>;
  things: Collection<Thing>;
  statsJobs: Collection<StatsJob>;
  figures: FiguresStore;
  settings: Settings;
  /** Base 36, like the ids of ads objects. */
  newId: () => string;
  /** Digits beyond double precision, like the ids of users and tweets. */
  newLongId: () => string;
  add: (thing: Pick<Thing, 'kind' | 'accountId' | 'parentId' | 'fields'>) => Thing;
  change: (thing: Thing, change: Partial<Pick<Thing, 'fields' | 'isDeleted'>>) => Thing;
  /** Ids of one kind under an account or parent, oldest first, including deleted ones. */
  below: (kind: Kind, ownerId: string) => string[];
  activeCount: (kind: Kind, accountId: string) => number;
  /** An identical tweet of this author. */
  sameText: (userId: string, text: string) => string | undefined;
}

interface Index {
  take: (thing: Thing, before?: Thing) => void;
  below: SandboxState['below'];
  activeCount: SandboxState['activeCount'];
  sameText: SandboxState['sameText'];
}

/** Indexes ids by owner, so that requests do not scan everything. */
function createIndex(): Index {
  const [owned, active, texts] = [
    new Map<string, string[]>(),
    new Map<string, Set<string>>(),
    new Map<string, string>(),
  ];
  const under = (key: string, id: string): void => {
    const ids = owned.get(key);
    if (ids) ids.push(id);
    else owned.set(key, [id]);
  };
  return {
    take(thing, before) {
      const { id, kind, accountId, parentId, fields, isDeleted } = thing;
      if (!before) {
        under(`${kind} ${accountId}`, id);
        under(`${kind} ${parentId}`, id);
        if (kind === 'tweet') texts.set(`${parentId} ${fields['text']}`, id);
      }
      const key = `${kind} ${accountId}`;
      const running = active.get(key) ?? new Set<string>();
      active.set(key, running);
      if (fields['entity_status'] === 'ACTIVE' && !isDeleted) running.add(id);
      else running.delete(id);
    },
    below: (kind, ownerId) => owned.get(`${kind} ${ownerId}`) ?? [],
    activeCount: (kind, accountId) => active.get(`${kind} ${accountId}`)?.size ?? 0,
    sameText: (userId, text) => texts.get(`${userId} ${text}`),
  };
}

export function createState(state: State): SandboxState {
  const counter = state.collection<number>('microblog.counter');
  const things = state.collection<Thing>('microblog.things');
  const { take, ...index } = createIndex();
  for (const thing of things.all()) take(thing);
  const next = (): number => {
    const value = (counter.get('next') ?? 0) + 1;
    counter.put('next', value);
    return value;
  };
  const newId = (): string => (2_000_000_000 + next() * 7919).toString(36);
  const newLongId = (): string => String(1_990_000_000_000_000_000n + BigInt(next()) * 4_194_305n);
  return {
    ...createAuthServer<Person, TokenKind, PairSecret>(state, {
      platform: 'microblog',
      collections: 'microblog',
      tokens: {
        signing: { prefix: (personId) => `${personId}-` },
        access: { prefix: '', lifetimeSeconds: 7_200 },
        refresh: { prefix: '' },
      },
    }),
    accounts: state.collection('microblog.accounts'),
    requestTokens: state.collection('microblog.requestTokens'),
    things,
    statsJobs: state.collection('microblog.statsJobs'),
    // Charges are credited for two weeks.
    figures: createFiguresStore(state, 'microblog.figures', { refunds: { perMille: 20, days: 14 } }),
    // The larger limits are granted to accounts on request.
    settings: {
      readsOfJobs: 1,
      outcomeOfJobs: 'SUCCESS',
      hasAdsAccess: true,
      isRateEnforced: false,
      activeCampaigns: 8_000,
      activeLineItems: 8_000,
    },
    newId,
    newLongId,
    ...index,
    add(made) {
      const now = new Date().toISOString();
      const id = made.kind === 'tweet' ? newLongId() : newId();
      const thing: Thing = { ...made, id, createdAt: now, updatedAt: now, isDeleted: false };
      things.put(id, thing);
      take(thing);
      return thing;
    },
    change(before, change) {
      const thing = { ...before, ...change, updatedAt: new Date().toISOString() };
      things.put(thing.id, thing);
      take(thing, before);
      return thing;
    },
  };
}
