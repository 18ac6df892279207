import { createAuthServer, type AuthServer } from '../oauth/auth-server.ts';
import { createFiguresStore, type FiguresStore } from '../figures/store.ts';
import type { Collection, State } from '../state.ts';
import { recordDelivery } from './delivery.ts';
import type { InsightSetting } from './insights.ts';
import type { ReportRun, RunSetting } from './report-runs.ts';
import type { UsageSetting } from './usage.ts';

type Fields = Record<string, unknown>;

export interface Page {
  id: string;
  name: string;
  accessToken: string;
  tasks: string[];
}

export interface AdAccount {
  id: string;
  name: string;
  currency: string;
  userId: string;
  /** Overrides of the default fields, in the platform's own format. */
  fields?: Fields;
}

/** A user's token of 90 minutes, which is exchanged for one of 60 days, and a page's own token. */
export type TokenKind = 'short' | 'long' | 'page';

export interface Business {
  id: string;
  name: string;
  ownedPages: Page[];
  clientPages: Page[];
}

export interface Person {
  id: string;
  name: string;
  pages: Page[];
  photoAccountId: string;
  /** Their pages are not listed under the user. */
  businesses?: Business[];
}

/** The user's own pages and those accessible through a business. */
export const pagesOf = ({ pages, businesses = [] }: Person): Page[] => [
  ...pages,
  ...businesses.flatMap(({ ownedPages, clientPages }) => [...ownedPages, ...clientPages]),
];

/** A campaign, ad set, ad, creative, image or video. */
export interface GraphObject {
  id: string;
  kind: 'campaign' | 'adset' | 'ad' | 'adcreative' | 'adimage' | 'advideo';
  accountId: string;
  createdAt: string;
  updatedAt: string;
  fields: Fields;
  /** Timestamps of recent budget changes. */
  budgetChanges?: number[];
  /** Seeded metrics of an ad. */
  figures?: { impressions: number; clicks: number; spend: number };
}

type Kind = GraphObject['kind'];

/** The size limit of a deep copy, and whether ad sets count as well as ads. */
export interface CopyLimit {
  most: number;
  counts: 'ads' | 'objects';
}

/** A known token with its user. */
export type Holder = NonNullable<ReturnType<SandboxState['holderOf']>>;

export interface SandboxState extends AuthServer<Person, TokenKind, { pageId?: string }> {
  accounts: Collection<AdAccount>;
  objects: Collection<GraphObject>;
  newId: (prefix: string) => string;
  /** Stores a new object and returns its id. */
  add: (object: Pick<GraphObject, 'kind' | 'accountId' | 'fields' | 'figures'>) => string;
  /** Ids of objects of an account, below a parent or copied from a source, oldest first. */
  under: (kind: Kind, ownerId: string) => readonly string[];
  /** All objects of a kind, oldest first. */
  ids: (kind: Kind) => readonly string[];
  copyLimit: Collection<CopyLimit>;
  usage: Collection<UsageSetting>;
  figures: FiguresStore;
  reportRuns: Collection<ReportRun>;
  insightSetting: Collection<InsightSetting>;
  runSetting: Collection<RunSetting>;
  app: Collection<AppSetting>;
}

/** Settings of the developer app. */
export interface AppSetting {
  requiresProof: boolean;
  /** The text of the header about the end of the API version. */
  versionWarning?: string;
}

export function createState(state: State): SandboxState {
  const [counter, stored] = [state.collection<number>('a.counter'), state.collection<GraphObject>('a.objects')];
  const accounts = state.collection<AdAccount>('a.accounts');
  const figures = createFiguresStore(state, 'a');
  const record = (object: GraphObject, from: number): void =>
    recordDelivery(figures, object, { minorUnits: offsetOf(accounts.get(object.accountId)?.currency ?? ''), from });
  for (const object of stored.all()) record(object, Date.parse(object.createdAt));
  const objects = {
    ...stored,
    put(id: string, object: GraphObject) {
      stored.put(id, object);
      record(object, figures.now());
    },
  };
  // Upstream ids have more digits than double precision.
  const newId = (prefix: string): string => {
    const next = (counter.get('next') ?? 0) + 1;
    counter.put('next', next);
    return `${prefix}${String(9_007_199_254_740_000n + BigInt(next)).padStart(16, '0')}`;
  };
  const index = createIndex(objects);
  return {
    ...createAuthServer<Person, TokenKind, { pageId?: string }>(state, {
      platform: 'network-a',
      collections: 'a',
      tokens: {
        short: { prefix: 'EAAL', lifetimeSeconds: 5_400 },
        long: { prefix: 'EAAL', lifetimeSeconds: 5_184_000 },
        page: { prefix: 'EAAP' },
      },
    }),
    accounts,
    objects,
    newId,
    add(made) {
      const id = newId(prefixes[made.kind]);
      const now = new Date().toISOString();
      const object = { ...made, id, createdAt: now, updatedAt: now };
      objects.put(id, object);
      index.add(object);
      return id;
    },
    under: (kind, ownerId) => index.ids(`${kind} ${ownerId}`),
    ids: (kind) => index.ids(kind),
    copyLimit: state.collection('a.copyLimit'),
    usage: state.collection('a.usage'),
    figures,
    reportRuns: state.collection('a.reportRuns'),
    insightSetting: state.collection('a.insightSetting'),
    runSetting: state.collection('a.runSetting'),
    app: state.collection('a.app'),
  };
}

interface Index {
  add: (object: GraphObject) => void;
  ids: (key: string) => readonly string[];
}

/** Indexes objects by owner, so that lists do not scan everything. Owners never change. */
function createIndex(objects: Collection<GraphObject>): Index {
  const lists = new Map<string, string[]>();
  const put = (key: string, id: string): void => {
    const list = lists.get(key);
    if (list) list.push(id);
    else lists.set(key, [id]);
  };
  const add = ({ id, kind, accountId, fields }: GraphObject): void => {
    const set = kind === 'ad' ? objects.get(String(fields['adset_id'])) : undefined;
    const source = fields[`source_${kind}_id`];
    const owners = [accountId, fields['campaign_id'], fields['adset_id'], set?.fields['campaign_id'], source];
    put(kind, id);
    for (const owner of new Set(owners)) if (owner !== undefined) put(`${kind} ${String(owner)}`, id);
  };
  for (const object of objects.all()) add(object);
  return { add, ids: (key) => lists.get(key) ?? [] };
}

const prefixes: Record<Kind, string> = {
  campaign: '120',
  adset: '121',
  ad: '122',
  adcreative: '123',
  adimage: '124',
  advideo: '125',
};

/** Currencies without minor units in the platform's table, which is not ISO 4217. */
const wholeUnitCurrencies = 'CLP COP CRC HUF ISK IDR JPY KRW PYG TWD VND'.split(' ');
export const offsetOf = (currency: string): number => (wholeUnitCurrencies.includes(currency) ? 1 : 100);

/** The minimum daily budget of an account, in minor units. */
export const minimumBudget = ({ currency }: AdAccount): number => (currency === 'JPY' ? 100 : offsetOf(currency));

/** The effective status under the object's parents. */
export function effectiveStatus(sandbox: SandboxState, object: GraphObject): string {
  const own = String(object.fields['status'] ?? 'ACTIVE');
  if (object.kind === 'campaign' || /DELETED|ARCHIVED/.test(own)) return own;
  const parentId = String(object.fields[object.kind === 'ad' ? 'adset_id' : 'campaign_id']);
  const parent = sandbox.objects.get(parentId);
  const above = parent ? effectiveStatus(sandbox, parent) : 'ACTIVE';
  if (/DELETED|ARCHIVED/.test(above)) return above;
  if (own !== 'ACTIVE') return own;
  const review = object.kind === 'ad' && /\[review:(pending|rejected)\]/.exec(String(object.fields['name']))?.[1];
  if (review) return review === 'pending' ? 'PENDING_REVIEW' : 'DISAPPROVED';
  if (above === 'PAUSED') return object.kind === 'ad' ? 'ADSET_PAUSED' : 'CAMPAIGN_PAUSED';
  return above === 'CAMPAIGN_PAUSED' ? 'CAMPAIGN_PAUSED' : 'ACTIVE';
}
