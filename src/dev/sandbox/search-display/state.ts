import { createAuthServer, type AuthServer } from '../oauth/auth-server.ts';
import { createFiguresStore, type FiguresStore } from '../figures/store.ts';
import type { Collection, State } from '../state.ts';
import { recordDelivery } from './delivery.ts';
import type { Kind } from './resources.ts';
import type { Fields } from './shapes.ts';

export interface Person {
  id: string;
  name: string;
  username: string;
  /** Accounts that the user can access without a manager. */
  customerIds: string[];
}

/** Account conditions that cannot be set through the API. */
export interface Conditions {
  status: 'ENABLED' | 'SUSPENDED' | 'CANCELED';
  /** Read-only access permits reads but no changes. */
  access: 'STANDARD' | 'READ_ONLY';
  hasConversionTracking: boolean;
  /** Channels without lifetime budgets. */
  withoutTotalBudgets: string[];
  campaignLimit: number;
  /** The policy on personalised ads about housing, employment and credit is not accepted. */
  lacksHecAgreement?: boolean;
  /** Reports errors that this version does not know. */
  hidesErrors: boolean;
}

export interface Customer extends Conditions {
  id: string;
  name: string;
  currency: string;
  timeZone: string;
  isManager: boolean;
  managerId?: string;
  userListId: string;
}

export interface Resource {
  /** `customers/1/campaigns/2` */
  name: string;
  kind: Kind;
  customerId: string;
  id: string;
  fields: Fields;
}

export interface SandboxState extends AuthServer<Person, 'access' | 'refresh'> {
  customers: Collection<Customer>;
  metrics: Collection<Fields>;
  figures: FiguresStore;
  clientsOf: (managerId: string) => Customer[];
  newId: (kind: Kind | 'people' | 'customers' | 'userLists' | 'criteria') => string;
  get: (name: string) => Resource | undefined;
  put: (resource: Resource) => void;
  all: () => Resource[];
  /** Resources of one kind in an account, oldest first. */
  held: (customerId: string, kind: Kind) => Resource[];
  /** Resources of one kind under a campaign or ad group. */
  below: (parent: string, kind: Kind) => Resource[];
  count: (customerId: string, kind: Kind) => number;
  /** Resources with this name, including removed ones. */
  named: (customerId: string, kind: Kind, name: string) => Resource[];
  /** Old campaigns without the EU political advertising declaration. */
  undeclared: (customerId: string) => Resource[];
  /** The resource that holds a unique key. */
  owner: (key: string) => string | undefined;
}

const bases: Record<Parameters<SandboxState['newId']>[0], number> = {
  people: 108_000_000_000,
  customers: 4_500_000_000,
  userLists: 8_200_000_000,
  criteria: 310_000_000_000,
  campaignBudgets: 14_000_000_000,
  campaigns: 21_000_000_000,
  campaignCriteria: 310_000_000_000,
  adGroups: 160_000_000_000,
  adGroupCriteria: 310_000_000_000,
  adGroupAds: 700_000_000_000,
  assets: 190_000_000_000,
};

export function createState(state: State): SandboxState {
  const [counter, stored] = [state.collection<number>('b.counter'), state.collection<Resource>('b.objects')];
  const customers = state.collection<Customer>('b.customers');
  const [groups, owners] = [new Map<string, Set<string>>(), new Map<string, string>()];
  const enter = (resource: Resource): void => {
    for (const group of [...groupsOf(resource), ...tagsOf(resource)])
      groups.set(group, (groups.get(group) ?? new Set()).add(resource.name));
    for (const key of placesOf(resource)) owners.set(key, resource.name);
  };
  const leave = (resource: Resource): void => {
    for (const key of placesOf(resource)) if (owners.get(key) === resource.name) owners.delete(key);
    for (const tag of tagsOf(resource)) groups.get(tag)?.delete(resource.name);
  };
  const members = (group: string): Resource[] =>
    [...(groups.get(group) ?? [])].flatMap((name) => stored.get(name) ?? []);
  for (const resource of stored.all()) enter(resource);
  const figures = createFiguresStore(state, 'b', {
    invalidClicks: { perMille: 10, days: 30 },
    audienceDelayMs: 12 * 3_600_000,
  });
  const record = (resource: Resource): void => {
    const { kind, name, customerId, fields } = resource;
    const budget = kind === 'campaigns' ? stored.get(String(fields['campaignBudget']))?.fields : undefined;
    recordDelivery(figures, resource, { customer: customers.get(customerId), budget });
    const paid = kind === 'campaignBudgets' ? stored.get(owners.get(`use of ${name}`) ?? '') : undefined;
    if (paid) record(paid);
  };
  for (const resource of stored.all()) record(resource);
  return {
    ...createAuthServer<Person, 'access' | 'refresh'>(state, {
      platform: 'search-display',
      collections: 'b',
      tokens: { access: { prefix: 'ya29.a0', lifetimeSeconds: 3599 }, refresh: { prefix: '1//0' } },
      codes: { prefix: '4/0A' },
    }),
    metrics: state.collection('b.metrics'),
    figures,
    customers,
    clientsOf: (managerId) => customers.all().filter((customer) => customer.managerId === managerId),
    newId(kind) {
      const next = (counter.get('next') ?? 0) + 1;
      counter.put('next', next);
      return String(bases[kind] + next);
    },
    get: stored.get,
    put(resource) {
      const before = stored.get(resource.name);
      if (before) leave(before);
      stored.put(resource.name, resource);
      enter(resource);
      record(resource);
    },
    all: stored.all,
    held: (customerId, kind) => members(`${customerId}/${kind}`),
    below: (parent, kind) => members(`${parent}/${kind}`),
    count: (customerId, kind) => groups.get(`${customerId}/${kind}`)?.size ?? 0,
    named: (customerId, kind, name) => members(`${customerId}/${kind}/named/${name}`),
    undeclared: (customerId) => members(`${customerId}/undeclared`),
    owner: (key) => owners.get(key),
  };
}

/** Immutable index groups of a resource. */
function groupsOf({ customerId, kind, fields }: Resource): string[] {
  const parents = [fields['campaign'], fields['adGroup']].filter((parent) => typeof parent === 'string');
  return [`${customerId}/${kind}`, ...parents.map((parent) => `${parent}/${kind}`)];
}

/** Index groups that change with the resource. */
function tagsOf({ customerId, kind, fields }: Resource): string[] {
  if (kind !== 'campaigns' && kind !== 'adGroups') return [];
  const isUndeclared =
    kind === 'campaigns' && fields['status'] !== 'REMOVED' && fields['containsEuPoliticalAdvertising'] === undefined;
  return [
    `${customerId}/${kind}/named/${String(fields['name'])}`,
    ...(isUndeclared ? [`${customerId}/undeclared`] : []),
  ];
}

/** Unique keys of an existing resource, such as names. */
export function placesOf({ customerId, kind, id, fields }: Resource): string[] {
  if (kind === 'adGroupAds') return [`ad ${customerId} ${id}`];
  if (kind === 'assets') return fields['hash'] === undefined ? [] : [`bytes ${customerId} ${fields['hash']}`];
  if (fields['status'] === 'REMOVED') return [];
  if (kind === 'adGroups') return [`ad group ${fields['campaign']} ${fields['name']}`];
  if (kind === 'campaignBudgets' && fields['explicitlyShared'] === true) {
    return [`budget ${customerId} ${fields['name']}`];
  }
  if (kind !== 'campaigns') return [];
  return [`campaign ${customerId} ${fields['name']}`, `use of ${fields['campaignBudget']}`];
}

const timeZones: Record<string, string> = {
  USD: 'America/New_York',
  EUR: 'Europe/Berlin',
  GBP: 'Europe/London',
  JPY: 'Asia/Tokyo',
  CAD: 'America/Toronto',
  CHF: 'Europe/Zurich',
  AUD: 'Australia/Sydney',
};
export const timeZoneOf = (currency: string): string => timeZones[currency] ?? 'Etc/UTC';

// The platform's table of minor units is undocumented; these currencies have none in daily use.
const wholeUnits = ['JPY', 'KRW', 'CLP', 'VND', 'HUF', 'IDR', 'TWD', 'COP'];
/** The unit that amounts must be a multiple of, in micros. */
export const unitOf = ({ currency }: Customer): bigint => (wholeUnits.includes(currency) ? 1_000_000n : 10_000n);
/** The minimum daily budget in micros; the real amounts are unknown. */
export const dayMinimumOf = (customer: Customer): bigint => unitOf(customer) * 100n;

const clocks = new Map<string, Intl.DateTimeFormat>();

/** The account's local time as `yyyy-MM-dd HH:mm:ss`. */
export function localTime({ timeZone }: Customer): string {
  const known = clocks.get(timeZone);
  const clock = known ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  if (!known) clocks.set(timeZone, clock);
  return clock.format(new Date());
}
