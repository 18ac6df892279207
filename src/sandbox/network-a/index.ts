import { createHash } from 'node:crypto';
import type { FaultName } from '../faults.ts';
import type { MakePlatform, Received, Reply, SimulatedPlatform } from '../platform.ts';
import { checkAdSet } from './ad-sets.ts';
import { checkAd } from './ads.ts';
import { checkCampaign } from './campaigns.ts';
import { futureTime, requireOneOf, requireText, wantsValidation, wholeOf, type Body } from './checks.ts';
import { createControl } from './control.ts';
import { checkCreative } from './creatives.ts';
import { envelope, failWith, GraphError, invalid, unknownObject } from './errors.ts';
import { createWorld, minimumBudget, type AdAccount, type GraphObject, type Person, type World } from './objects.ts';
import { interests, places } from './places.ts';
import { pageOf, show } from './read.ts';

const oldestLive = 25;
const prefixes: Record<GraphObject['kind'], string> = {
  campaign: '120',
  adset: '121',
  ad: '122',
  adcreative: '123',
  adimage: '124',
  advideo: '125',
};
const kinds: Record<string, GraphObject['kind']> = {
  campaigns: 'campaign',
  adsets: 'adset',
  ads: 'ad',
  adcreatives: 'adcreative',
  advideos: 'advideo',
};

interface Asked extends Received {
  world: World;
  person: Person;
  /** The parts of the path behind the version. */
  parts: string[];
}

/** The social and photo-sharing networks' marketing API. */
export const createNetworkA: MakePlatform = (state): SimulatedPlatform => {
  const world = createWorld(state);
  return {
    name: 'network-a',
    failWith: (fault: FaultName) => failWith(fault),
    control: createControl(world),
    answer: (request) => ({ ...answer(world, request), ...usage(request) }),
    holds: () => [
      { kind: 'campaigns', rows: rows(world, 'campaign', ['name', 'objective', 'status']) },
      {
        kind: 'ad sets',
        rows: rows(world, 'adset', ['name', 'optimization_goal', 'daily_budget', 'lifetime_budget', 'status']),
      },
      { kind: 'ads', rows: rows(world, 'ad', ['name', 'status', 'effective_status']) },
    ],
  };
};

const rows = (world: World, kind: GraphObject['kind'], fields: string[]): Record<string, unknown>[] =>
  world
    .list(kind, () => true)
    .toReversed()
    .map((object) => show(world, object, fields.join(',')));

/** Usage comes with every answer, as percentages. */
const usage = ({ path }: Received): Pick<Reply, 'headers'> => {
  const account = /act_(\d+)/.exec(path)?.[1] ?? '0';
  const calls = { call_count: 1, total_cputime: 1, total_time: 1 };
  return {
    headers: {
      'X-App-Usage': JSON.stringify(calls),
      'X-Ad-Account-Usage': JSON.stringify({
        acc_id_util_pct: 1.5,
        reset_time_duration: 100,
        ads_api_access_tier: 'standard_access',
      }),
      'X-Business-Use-Case-Usage': JSON.stringify({
        [account]: [{ type: 'ads_management', ...calls, estimated_time_to_regain_access: 0 }],
      }),
    },
  };
};

function answer(world: World, request: Received): Reply {
  try {
    const [, version = '', ...parts] = request.path.split('/');
    if (!/^v\d+\.\d+$/.test(version))
      throw new GraphError({ code: 2500, message: 'Unknown path components: the version is missing' });
    if (Number(version.slice(1)) < oldestLive) {
      throw new GraphError({
        code: 2635,
        message: `You are calling a deprecated version of the Ads API. Please update to the latest version: v27.0`,
      });
    }
    return { status: 200, body: dispatch({ ...request, world, parts, person: personOf(world, request.token) }) };
  } catch (error) {
    if (error instanceof GraphError) return envelope(error.fault);
    throw error;
  }
}

function personOf(world: World, token: string | undefined): Person {
  if (!token)
    throw new GraphError({
      code: 2500,
      message: 'An active access token must be used to query information about the current user.',
    });
  const known = world.tokens.get(token);
  const person = known && world.people.get(known.userId);
  const expired = {
    code: 190,
    subcode: 463,
    message: 'Error validating access token: Session has expired',
    status: 401,
  };
  if (!person)
    throw new GraphError({ code: 190, message: 'Invalid OAuth access token - Cannot parse access token', status: 401 });
  if (known.state === 'expired') throw new GraphError(expired);
  if (known.state === 'invalid')
    throw new GraphError({
      ...expired,
      subcode: 467,
      message: 'Error validating access token: The session is invalid',
    });
  return person;
}

function dispatch(asked: Asked): unknown {
  const { method, parts } = asked;
  const [id = '', edge] = parts;
  if (parts.length > 2) throw new GraphError({ code: 2500, message: 'Unknown path components' });
  if (method === 'GET' && id === 'me') return me(asked, edge);
  if (method === 'GET' && id === 'search') return search(asked);
  if (id.startsWith('act_')) return ofAccount(asked, accountOf(asked, id), edge);
  if (edge === undefined) return single(asked, objectOf(asked, id));
  if (method === 'GET') return children(asked, objectOf(asked, id), edge);
  throw unknownObject(id);
}

function accountOf({ world, person }: Asked, id: string): AdAccount {
  const account = world.accounts.get(id.slice('act_'.length));
  if (account?.userId !== person.id) throw unknownObject(id);
  return account;
}

function objectOf({ world, person }: Asked, id: string): GraphObject {
  const object = world.objects.get(id);
  if (!object || world.accounts.get(object.accountId)?.userId !== person.id) throw unknownObject(id);
  return object;
}

const accountShown = (account: AdAccount): Body => ({
  id: `act_${account.id}`,
  account_id: account.id,
  name: account.name,
  currency: account.currency,
  timezone_name: 'Europe/Berlin',
  account_status: 1,
  min_daily_budget: minimumBudget(account),
});

function me({ world, person, query }: Asked, edge: string | undefined): unknown {
  if (edge === undefined) return { id: person.id, name: person.name };
  const list =
    edge === 'adaccounts'
      ? world.accounts
          .all()
          .filter(({ userId }) => userId === person.id)
          .map(accountShown)
      : edge === 'accounts'
        ? person.pages.map(({ id, name, accessToken, tasks }) => ({
            id,
            name,
            tasks,
            access_token: accessToken,
            category: 'Brand',
          }))
        : undefined;
  if (!list) throw unknownObject(`me/${edge}`);
  return slice(list, query);
}

/** A page of things that are not graph objects. */
function slice(list: Body[], query: Record<string, string>): object {
  const limit = Number(query['limit'] ?? 25);
  const start = Number(query['after'] ? Buffer.from(query['after'], 'base64url').toString() : 0);
  const end = start + limit;
  const cursor = (at: number): string => Buffer.from(String(at)).toString('base64url');
  const next = end < list.length ? { next: `https://sandbox.invalid/?after=${cursor(end)}` } : {};
  return {
    data: list.slice(start, end),
    paging: { cursors: { before: cursor(start), after: cursor(Math.min(end, list.length)) }, ...next },
  };
}

function search({ query }: Asked): unknown {
  const q = (query['q'] ?? '').toLowerCase();
  const limit = Number(query['limit'] ?? 8);
  if (query['type'] === 'adinterest')
    return { data: interests.filter(({ name }) => name.toLowerCase().includes(q)).slice(0, limit) };
  if (query['type'] !== 'adgeolocation') throw invalid('type is not valid', { blame: 'type' });
  const types = query['location_types']
    ? (JSON.parse(query['location_types']) as string[])
    : ['country', 'region', 'city'];
  const country = query['country_code'];
  const found = places.filter(
    ({ name, type, country_code: code }) =>
      types.includes(type) && name.toLowerCase().startsWith(q) && (!country || code === country),
  );
  return { data: found.slice(0, limit) };
}

function ofAccount(asked: Asked, account: AdAccount, edge: string | undefined): unknown {
  const { world, method, query, body, person } = asked;
  if (edge === undefined) return accountShown(account);
  if (edge === 'adimages' && method === 'POST') return addImage(world, account, body);
  const kind = kinds[edge];
  if (!kind) throw unknownObject(`act_${account.id}/${edge}`);
  if (method === 'GET')
    return pageOf(
      world,
      world.list(kind, ({ accountId }) => accountId === account.id),
      query,
    );
  const checks: Partial<Record<GraphObject['kind'], () => Body>> = {
    campaign: () => checkCampaign(body),
    adset: () => checkAdSet(world, account, body),
    adcreative: () => checkCreative(world, { account, person }, body),
    ad: () => checkAd(world, account, body),
    advideo: () => ({ file_url: requireText(body, 'file_url', 2048), name: body['name'], polls: 0 }),
  };
  const fields = checks[kind]?.() ?? body;
  if (wantsValidation(body)) return { success: true };
  const { access_token: _token, execution_options: _options, ...kept } = fields;
  return { id: add(world, { kind, accountId: account.id, fields: kept }) };
}

function add(world: World, { kind, accountId, fields }: Pick<GraphObject, 'kind' | 'accountId' | 'fields'>): string {
  const id = world.newId(prefixes[kind]);
  const now = new Date().toISOString();
  world.objects.put(id, { id, kind, accountId, createdAt: now, updatedAt: now, fields });
  return id;
}

function addImage(world: World, account: AdAccount, body: Body): unknown {
  const bytes = requireText(body, 'bytes', 10_000_000);
  const hash = createHash('md5').update(bytes).digest('hex');
  add(world, { kind: 'adimage', accountId: account.id, fields: { hash } });
  return { images: { bytes: { hash, url: `https://sandbox.invalid/${hash}.png`, width: 1200, height: 628 } } };
}

function single(asked: Asked, object: GraphObject): unknown {
  const { world, method, query, body } = asked;
  if (method === 'GET')
    return object.kind === 'advideo' ? video(world, object) : show(world, object, query['fields'] ?? 'id,name');
  const change = method === 'DELETE' ? { status: 'DELETED' } : changeOf(world, object, body);
  world.objects.put(object.id, {
    ...object,
    updatedAt: new Date().toISOString(),
    fields: { ...object.fields, ...change },
  });
  return { success: true };
}

/** A video is worked on for two looks; until then its picture is a placeholder. */
function video(world: World, object: GraphObject): unknown {
  const polls = Number(object.fields['polls'] ?? 0) + 1;
  world.objects.put(object.id, { ...object, fields: { ...object.fields, polls } });
  const isReady = polls > 2;
  const fails = String(object.fields['file_url']).includes('broken');
  const status = fails ? 'error' : isReady ? 'ready' : 'processing';
  return {
    id: object.id,
    status: { video_status: status },
    picture: isReady ? 'https://sandbox.invalid/frame.png' : 'https://sandbox.invalid/placeholder.gif',
  };
}

function changeOf(world: World, object: GraphObject, body: Body): Body {
  const { access_token: _token, ...change } = body;
  if (change['status'] !== undefined) requireOneOf(change, 'status', ['ACTIVE', 'PAUSED', 'DELETED', 'ARCHIVED']);
  if (change['name'] !== undefined) requireText(change, 'name');
  futureTime(change, 'end_time');
  const account = world.accounts.get(object.accountId);
  for (const field of ['daily_budget', 'lifetime_budget']) {
    const amount = wholeOf(change, field);
    if (amount !== undefined && account && amount < minimumBudget(account))
      throw invalid('The budget is too low', { subcode: 1885272, blame: field });
  }
  return change;
}

function children({ world, query }: Asked, parent: GraphObject, edge: string): unknown {
  const kind = kinds[edge];
  if (!kind || parent.kind === 'ad') throw unknownObject(`${parent.id}/${edge}`);
  const below = world.list(kind, (object) => {
    const set = kind === 'ad' ? world.objects.get(String(object.fields['adset_id'])) : undefined;
    return [object.fields['campaign_id'], object.fields['adset_id'], set?.fields['campaign_id']].includes(parent.id);
  });
  return pageOf(world, below, query);
}
