import { createAuthServer, type AuthServer } from '../oauth/auth-server.ts';
import { createFiguresStore, type FiguresStore } from '../figures/store.ts';
import type { Collection, State } from '../state.ts';
import type { Body } from './checks.ts';
import { noteDelivery } from './figures.ts';

export interface Person {
  id: string;
  name: string;
  username: string;
  advertiserIds: string[];
}

export interface Advertiser {
  id: string;
  name: string;
  currency: string;
  timezone: string;
  /** Where it is registered; US by default. */
  country?: string;
  status: string;
  rejectionReason?: string;
  personId: string;
}

export interface Identity {
  id: string;
  type: 'CUSTOMIZED_USER' | 'TT_USER';
  name: string;
  imageUri?: string;
  posts: { itemId: string; text: string; videoId: string }[];
}

export type Kind = 'campaign' | 'adgroup' | 'ad' | 'image' | 'video';

export interface Thing {
  id: string;
  kind: Kind;
  advertiserId: string;
  createdAt: number;
  modifiedAt: number;
  fields: Body;
  requestId?: string;
  /** Itself or through a parent. */
  isDeleted?: boolean;
  /** Attempts until a video is transcoded. */
  triesLeft?: number;
  metrics?: { spend: number; impressions: number; clicks: number };
}

export interface Settings {
  /** Calls per second of a developer app, or of an advertiser; 0 means no limit. */
  perSecond: number;
  /** Calls of ad/create per second of a developer app; 0 means no limit. */
  adsPerSecond: number;
  level: 'advertiser' | 'app';
  /** The response to a repeated request_id. */
  duplicates: 'same' | 'refused';
  requestIdSeconds: number;
  transcodingTries: number;
  /** Daily budgets at campaign level are permitted for all objectives. */
  dynamicDaily: boolean;
}

export interface SandboxState extends AuthServer<Person, 'access'> {
  advertisers: Collection<Advertiser>;
  /** By advertiser; a user's own identity is listed under each of theirs. */
  identities: Collection<Identity[]>;
  settings: Settings;
  figures: FiguresStore;
  newId: () => string;
  find: (kind: Kind, id: string) => Thing | undefined;
  add: (thing: Pick<Thing, 'kind' | 'advertiserId' | 'fields'> & Partial<Thing>) => Thing;
  /** Stores a changed object. */
  save: (thing: Thing) => void;
  /** Children of an advertiser, campaign or ad group, oldest first. */
  below: (kind: Kind, parentId: string) => readonly Thing[];
  all: () => Thing[];
  /** Increases with every change to an advertiser's objects. */
  version: (advertiserId: string) => number;
  requested: (thing: Pick<Thing, 'kind' | 'advertiserId'>, requestId: string) => Thing | undefined;
  hasFile: (thing: Pick<Thing, 'kind' | 'advertiserId'>, name: string) => boolean;
}

export function createState(state: State): SandboxState {
  const things = state.collection<Thing>('network-c.things');
  const lists = new Map<string, Thing[]>();
  const named = new Map<string, Thing>();
  const index = (thing: Thing): void => {
    const { kind, advertiserId, fields, requestId } = thing;
    for (const parent of [advertiserId, fields['campaign_id'], fields['adgroup_id']]) {
      if (typeof parent !== 'string') continue;
      const list = lists.get(`${kind} ${parent}`);
      if (list) list.push(thing);
      else lists.set(`${kind} ${parent}`, [thing]);
    }
    if (requestId !== undefined) named.set(`${kind} ${advertiserId} #${requestId}`, thing);
    if (typeof fields['file_name'] === 'string') named.set(`${kind} ${advertiserId} ${fields['file_name']}`, thing);
  };
  for (const thing of things.all()) index(thing);
  const versions = new Map<string, number>();
  const figures = createFiguresStore(state, 'network-c', { audienceDelayMs: 8 * 3_600_000 });
  const put = (thing: Thing): void => {
    versions.set(thing.advertiserId, (versions.get(thing.advertiserId) ?? 0) + 1);
    things.put(thing.id, thing);
    noteDelivery(figures, thing);
  };
  const newId = createIds();
  return {
    ...createAuthServer<Person, 'access'>(state, {
      platform: 'network-c',
      collections: 'network-c',
      tokens: { access: { prefix: '' } },
      codes: { lifetimeSeconds: 3600, isBound: false },
    }),
    advertisers: state.collection('network-c.advertisers'),
    identities: state.collection('network-c.identities'),
    settings: {
      perSecond: 0,
      adsPerSecond: 0,
      level: 'app',
      duplicates: 'same',
      requestIdSeconds: 10,
      transcodingTries: 1,
      dynamicDaily: false,
    },
    figures,
    newId,
    find(kind, id) {
      const thing = things.get(id);
      return thing?.kind === kind ? thing : undefined;
    },
    add(parts) {
      const now = Date.now();
      const thing: Thing = { id: newId(), createdAt: now, modifiedAt: now, ...parts };
      put(thing);
      index(thing);
      return thing;
    },
    save: put,
    below: (kind, parentId) => lists.get(`${kind} ${parentId}`) ?? [],
    all: () => things.all(),
    version: (advertiserId) => versions.get(advertiserId) ?? 0,
    requested: ({ kind, advertiserId }, requestId) => named.get(`${kind} ${advertiserId} #${requestId}`),
    hasFile: ({ kind, advertiserId }, name) => named.has(`${kind} ${advertiserId} ${name}`),
  };
}

/** Ids have 19 digits and grow with time, so that no counter must persist over a restart. */
function createIds(): () => string {
  let last = 0n;
  return () => {
    const now = BigInt(Date.now()) << 20n;
    last = now > last ? now : last + 1n;
    return String(last);
  };
}
