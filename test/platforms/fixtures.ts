import { CreateAdInput, requestShape } from '../../src/contract/ad-input.ts';
import { PlatformError } from '../../src/platforms/error.ts';
import type { Access, AdAccount, AdOrder, Journal, UpstreamRequest } from '../../src/platforms/platform.ts';
import type { FakeUpstream, Recorded, Reply } from './upstream.ts';

export const token = 'EAABsecretToken0123456789';
/** When every order of these tests is placed: days are counted from here, at whatever hour the tests run. */
export const placedAt = new Date('2026-03-02T15:00:00Z');
export const asAccess = (
  given: Omit<Access, 'platformAccountId' | 'displayName' | 'platformState' | 'keep' | 'clock'> &
    Partial<Pick<Access, 'clock'>>,
): Access => ({
  platformAccountId: '10',
  displayName: 'Shop',
  platformState: {},
  keep: () => Promise.resolve(),
  clock: { now: () => placedAt },
  ...given,
});
export const access: Access = asAccess({ accountPlatform: 'network-a', token, pageId: '10', photoAccountId: '178' });
export const dollars: AdAccount = { id: '77', name: 'Main', currency: 'USD', isActive: true };
export const endDate = '2999-12-31T00:00:00+02:00';

type Loose = Record<string, unknown>;

const parts: Loose = {
  headline: 'Coats & scarves',
  body: 'Warm über all',
  linkUrl: 'https://shop.example/coats?a=1&b=2',
  callToAction: 'SHOP_NOW',
  imageUrl: 'https://img.example/coat.jpg',
};
const budget: Loose = { goal: 'traffic', budgetAmount: 50, budgetType: 'daily' };
const base: Loose = { accountId: '0123456789abcdef01234567', adAccountId: 'act_77', name: 'Winter' };

export const entry = (extra: Loose = {}): Loose => ({ ...parts, ...extra });
export const video = { url: 'https://cdn.example/v.mp4', thumbnailUrl: 'https://cdn.example/t.png' };

/** Inputs as the API would parse them; undefined removes a field. */
export const inputs = {
  legacy: (extra: Loose = {}): CreateAdInput => parse({ ...base, ...budget, ...parts, ...extra }),
  multiCreative: (extra: Loose = {}): CreateAdInput =>
    parse({ ...base, ...budget, creatives: [entry(), entry({ headline: 'Hats' })], ...extra }),
  attach: (extra: Loose = {}): CreateAdInput => parse({ ...base, ...parts, adSetId: '1202', ...extra }),
};

const parse = (fields: Loose): CreateAdInput =>
  CreateAdInput.parse(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)));

export function orderOf(input: CreateAdInput, adAccount: AdAccount = dollars, at = placedAt): AdOrder {
  const name = `${input.name} ab12cd34`;
  const ads =
    requestShape(input) === 'multiCreative' ? (input.creatives ?? []).map((_, at) => `${name} ${at}`) : [name];
  const { goal, budgetLevel = 'ad_set' } = input;
  return { input, goal, budgetLevel, adAccount, names: { campaign: name, adSet: name, ads }, placedAt: at };
}

export interface MemoryJournal extends Journal {
  requests: Record<string, UpstreamRequest>;
  /** Remote ids by step; set one to make a step look finished. */
  ids: Record<string, string>;
  /** Steps whose earlier attempt was not answered: they are looked for before they are sent. */
  open: Set<string>;
}

/** Runs steps like the durable journal does, but keeps them in memory. */
export function memoryJournal(dryRun = false): MemoryJournal {
  const journal: MemoryJournal = {
    dryRun,
    requests: {},
    ids: {},
    open: new Set(),
    async run({ name, request, send, find, again = send }) {
      journal.requests[name] = request;
      if (dryRun) return `{${name}.id}`;
      const known = journal.ids[name] ?? (journal.open.has(name) ? await find?.() : undefined);
      const id = known ?? (await (journal.open.has(name) ? again() : send()));
      journal.ids[name] = id;
      return id;
    },
  };
  return journal;
}

const edges: Record<string, string> = { campaigns: '1201', adsets: '1202', adcreatives: '1203', ads: '1204' };

/** Answers the whole cascade as the platform does: ids for new objects, success for changes, a status for ads. */
export function goodPlatform(special: Record<string, (request: Recorded) => Reply> = {}): FakeUpstream['respond'] {
  let ads = 0;
  return (request) => {
    const path = request.path.replace(/^\/v26\.0\//, '');
    const known = special[`${request.method} ${path}`];
    if (known) return known(request);
    const edge = /^act_77\/(\w+)$/.exec(path)?.[1] ?? '';
    if (request.method === 'GET' && path.endsWith('/ads')) {
      const made = Array.from({ length: ads }, (_, at) => ({ id: `1204${at}`, effective_status: 'PENDING_REVIEW' }));
      return { json: { data: made } };
    }
    if (request.method === 'GET') return { json: { id: path, effective_status: 'PENDING_REVIEW' } };
    if (edge === 'ads') return { json: { id: `1204${ads++}` } };
    if (edges[edge]) return { json: { id: edges[edge] } };
    if (edge === 'advideos') return { json: { id: '55' } };
    return { json: { success: true } };
  };
}

/** What a promise was refused with; anything but a PlatformError fails the test. */
export async function refusalOf(promise: Promise<unknown>): Promise<PlatformError> {
  const error = await promise.then(
    (value) => new Error(`Was not refused, but answered ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof PlatformError) return error;
  throw error;
}
