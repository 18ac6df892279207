import type { Collection, State } from '../state.ts';

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
}

export interface Token {
  token: string;
  userId: string;
  state: 'good' | 'expired' | 'invalid';
}

export interface Person {
  id: string;
  name: string;
  pages: Page[];
  photoAccountId: string;
}

/** A campaign, ad set, ad, creative, image or video. */
export interface GraphObject {
  id: string;
  kind: 'campaign' | 'adset' | 'ad' | 'adcreative' | 'adimage' | 'advideo';
  accountId: string;
  createdAt: string;
  updatedAt: string;
  fields: Fields;
  /** When its budget was changed lately. */
  budgetChanges?: number[];
}

export interface World {
  people: Collection<Person>;
  tokens: Collection<Token>;
  accounts: Collection<AdAccount>;
  objects: Collection<GraphObject>;
  newId: (prefix: string) => string;
  /** Stores a new object and answers its id. */
  add: (object: Pick<GraphObject, 'kind' | 'accountId' | 'fields'>) => string;
  /** Objects of an account or below a parent, oldest first. */
  list: (kind: GraphObject['kind'], where: (object: GraphObject) => boolean) => GraphObject[];
}

export function createWorld(state: State): World {
  const [counter, objects] = [state.collection<number>('a.counter'), state.collection<GraphObject>('a.objects')];
  // Ids of the real platform are digits beyond what a double holds exactly.
  const newId = (prefix: string): string => {
    const next = (counter.get('next') ?? 0) + 1;
    counter.put('next', next);
    return `${prefix}${String(9_007_199_254_740_000n + BigInt(next)).padStart(16, '0')}`;
  };
  return {
    people: state.collection('a.people'),
    tokens: state.collection('a.tokens'),
    accounts: state.collection('a.accounts'),
    objects,
    newId,
    add({ kind, accountId, fields }) {
      const id = newId(prefixes[kind]);
      const now = new Date().toISOString();
      objects.put(id, { id, kind, accountId, createdAt: now, updatedAt: now, fields });
      return id;
    },
    list: (kind, where) => objects.all().filter((object) => object.kind === kind && where(object)),
  };
}

const prefixes: Record<GraphObject['kind'], string> = {
  campaign: '120',
  adset: '121',
  ad: '122',
  adcreative: '123',
  adimage: '124',
  advideo: '125',
};

/** Minor units in a whole unit: the platform's table, which is not ISO's. */
const wholeUnitCurrencies = 'CLP COP CRC HUF ISK IDR JPY KRW PYG TWD VND'.split(' ');
export const offsetOf = (currency: string): number => (wholeUnitCurrencies.includes(currency) ? 1 : 100);

/** The smallest daily budget of an account, in minor units. */
export const minimumBudget = ({ currency }: AdAccount): number => (currency === 'JPY' ? 100 : offsetOf(currency));

/** What an object is doing, as its parents let it. */
export function effectiveStatus(world: World, object: GraphObject): string {
  const own = String(object.fields['status'] ?? 'ACTIVE');
  if (object.kind === 'campaign' || /DELETED|ARCHIVED/.test(own)) return own;
  const parentId = String(object.fields[object.kind === 'ad' ? 'adset_id' : 'campaign_id']);
  const parent = world.objects.get(parentId);
  const above = parent ? effectiveStatus(world, parent) : 'ACTIVE';
  if (/DELETED|ARCHIVED/.test(above)) return above;
  if (own !== 'ACTIVE') return own;
  const review = object.kind === 'ad' && /\[review:(pending|rejected)\]/.exec(String(object.fields['name']))?.[1];
  if (review) return review === 'pending' ? 'PENDING_REVIEW' : 'DISAPPROVED';
  if (above === 'PAUSED') return object.kind === 'ad' ? 'ADSET_PAUSED' : 'CAMPAIGN_PAUSED';
  return above === 'CAMPAIGN_PAUSED' ? 'CAMPAIGN_PAUSED' : 'ACTIVE';
}
