import { randomBytes } from 'node:crypto';
import { createAuthServer, type AuthServer } from '../oauth/auth-server.ts';
import { createFiguresStore, type FiguresStore } from '../figures/store.ts';
import type { Collection, State } from '../state.ts';
import type { Fields } from './shape.ts';

export interface Person {
  id: string;
  name: string;
  pages: { organizationId: string; role: string }[];
  accountIds: string[];
}

export interface Organization {
  id: string;
  name: string;
}

export interface AdAccount {
  id: string;
  name: string;
  currency: string;
  personId: string;
  /** The user's role in it. */
  role: string;
  /** The referenced organisation; by default it references the user. */
  organizationId?: string;
  createdAt: number;
  /** ACTIVE and RUNNABLE by default. */
  status?: string;
  servingStatuses?: string[];
}

export type Kind = 'group' | 'campaign' | 'creative';

/** A campaign group, a campaign or a creative. */
export interface Entity {
  id: string;
  kind: Kind;
  accountId: string;
  fields: Fields;
  createdAt: number;
  updatedAt: number;
  createdBy: string;
  version: number;
  isRemoved?: boolean;
  /** The default group of an ad account. */
  isBackfilled?: boolean;
}

export interface Post {
  urn: string;
  organizationId: string;
  fields: Fields;
  createdAt: number;
  isRemoved?: boolean;
}

export interface Asset {
  urn: string;
  kind: 'image' | 'video';
  organizationId: string;
  status: 'WAITING_UPLOAD' | 'PROCESSING' | 'AVAILABLE' | 'PROCESSING_FAILED';
  /** The secret part of its upload URL. */
  upload: string;
  /** Parts of a video: length and, once uploaded, tag. An image is one part of any length. */
  parts: { length: number; tag?: string }[];
  uploadToken: string;
}

/** A conversion rule or a lead form of an ad account. */
export interface Belonging {
  id: string;
  accountId: string;
  name: string;
}

export interface SandboxState extends AuthServer<Person, 'access' | 'refresh'> {
  organizations: Collection<Organization>;
  accounts: Collection<AdAccount>;
  entities: Collection<Entity>;
  posts: Collection<Post>;
  assets: Collection<Asset>;
  /** The image or video of an upload URL. */
  uploads: Collection<string>;
  conversions: Collection<Belonging>;
  forms: Collection<Belonging>;
  /** Pairs of campaign and conversion. */
  associations: Collection<boolean>;
  /** Tracking parameters by the URN of their campaign. */
  tracking: Collection<Fields>;
  /** Recent posts by content. */
  fingerprints: Collection<{ urn: string; at: number }>;
  quirks: Collection<boolean>;
  figures: FiguresStore;
  /** Metric values that were returned to a user, by time. */
  values: Collection<{ at: number; values: number }[]>;
  /** Limits that a test sets, instead of the platform's own. */
  limits: Collection<number | undefined>;
  newId: (start: number) => string;
  save: (entity: Entity) => void;
  /** Ids under an account, group, campaign or name, oldest first. */
  below: (key: string) => readonly string[];
}

export const secretText = (): string => randomBytes(24).toString('base64url');

export function createState(state: State): SandboxState {
  const of = <T>(name: string): Collection<T> => state.collection<T>(`professional.${name}`);
  const [counter, entities] = [of<number>('counter'), of<Entity>('entities')];
  const index = createIndex();
  for (const entity of entities.all()) index.add(entity);
  return {
    ...createAuthServer<Person, 'access' | 'refresh'>(state, {
      platform: 'professional',
      collections: 'professional',
      tokens: {
        access: { prefix: 'AQV', lifetimeSeconds: 60 * 24 * 3600 },
        refresh: { prefix: 'AQX', lifetimeSeconds: 365 * 24 * 3600 },
      },
      codes: { prefix: 'AQT' },
    }),
    organizations: of('organizations'),
    accounts: of('accounts'),
    entities,
    posts: of('posts'),
    assets: of('assets'),
    uploads: of('uploads'),
    conversions: of('conversions'),
    forms: of('forms'),
    associations: of('associations'),
    tracking: of('tracking'),
    fingerprints: of('fingerprints'),
    quirks: of('quirks'),
    figures: createFiguresStore(state, 'professional.figures'),
    values: of('values'),
    limits: of('limits'),
    newId(start) {
      const next = (counter.get('next') ?? 0) + 1;
      counter.put('next', next);
      return String(start + next);
    },
    save(entity) {
      const before = entities.get(entity.id);
      entities.put(entity.id, entity);
      index.add(entity, before);
    },
    below: index.get,
  };
}

interface Index {
  add: (entity: Entity, before?: Entity) => void;
  get: (key: string) => readonly string[];
}

/** Indexes ids by parent, so that requests do not scan everything. Former names stay in it; readers check again. */
function createIndex(): Index {
  const lists = new Map<string, string[]>();
  const push = (key: string, id: string): void => {
    const list = lists.get(key);
    if (list) list.push(id);
    else lists.set(key, [id]);
  };
  return {
    get: (key) => lists.get(key) ?? [],
    add(entity, before) {
      const known = before ? keysOf(before) : [];
      for (const key of keysOf(entity)) if (!known.includes(key)) push(key, entity.id);
    },
  };
}

export const keyOf = {
  account: (accountId: string, kind: Kind): string => `${kind} of ${accountId}`,
  name: (accountId: string, kind: Kind, name: string): string => `${kind} of ${accountId} named ${name}`,
  parent: (urn: string): string => `below ${urn}`,
  post: (urn: string): string => `showing ${urn}`,
};

function keysOf({ kind, accountId, fields }: Entity): string[] {
  const parent = kind === 'campaign' ? fields['campaignGroup'] : fields['campaign'];
  const content = fields['content'] as Fields | undefined;
  return [
    keyOf.account(accountId, kind),
    ...(typeof fields['name'] === 'string' ? [keyOf.name(accountId, kind, fields['name'])] : []),
    ...(typeof parent === 'string' ? [keyOf.parent(parent)] : []),
    ...(typeof content?.['reference'] === 'string' ? [keyOf.post(content['reference'])] : []),
  ];
}

const urnTypes: Record<Kind, string> = {
  group: 'sponsoredCampaignGroup',
  campaign: 'sponsoredCampaign',
  creative: 'sponsoredCreative',
};

export const urnOf = ({ kind, id }: Pick<Entity, 'kind' | 'id'>): string => `urn:li:${urnTypes[kind]}:${id}`;

export const accountUrn = (id: string): string => `urn:li:sponsoredAccount:${id}`;
export const organizationUrn = (id: string): string => `urn:li:organization:${id}`;
export const personUrn = (id: string): string => `urn:li:person:${id}`;

/** The entity of a URN, if it exists. */
export function entityAt(sandbox: SandboxState, urn: unknown, kind: Kind): Entity | undefined {
  const [type, id] = [`urn:li:${urnTypes[kind]}:`, String(urn)];
  const entity = id.startsWith(type) ? sandbox.entities.get(id.slice(type.length)) : undefined;
  return entity?.kind === kind && !entity.isRemoved ? entity : undefined;
}

/** Existing entities by id. */
export const entitiesOf = (sandbox: SandboxState, ids: readonly string[]): Entity[] =>
  ids.flatMap((id) => {
    const entity = sandbox.entities.get(id);
    return entity && !entity.isRemoved ? [entity] : [];
  });

const writers = ['ACCOUNT_BILLING_ADMIN', 'ACCOUNT_MANAGER', 'CAMPAIGN_MANAGER', 'CREATIVE_MANAGER'];
const posters = ['ADMINISTRATOR', 'CONTENT_ADMIN', 'DIRECT_SPONSORED_CONTENT_POSTER'];

export const maySponsor = (account: AdAccount): boolean => writers.includes(account.role);

export const mayPostAs = (person: Person, organizationId: string | undefined): boolean =>
  person.pages.some((page) => page.organizationId === organizationId && posters.includes(page.role));
