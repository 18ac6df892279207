import { consentOf } from '../oauth/auth-server.ts';
import type { MakePlatform, Received, Reply, SimulatedPlatform } from '../platform.ts';
import { accessible, customerOf, personOf, requireDeveloperToken } from './access.ts';
import { createControl } from './control.ts';
import { AdsError, badJson, envelope, failWith, JsonError, newRequestId, refusal } from './errors.ts';
import { suggest } from './geo.ts';
import { mutateEverything, mutateKind } from './mutate.ts';
import { exchange } from './oauth.ts';
import { addPerson } from './people.ts';
import { createState, type Resource, type SandboxState } from './state.ts';
import { kindNames, kinds } from './resources.ts';
import { search, searchStream } from './search.ts';
import { isObject, type Fields } from './shapes.ts';
import { show } from './serialize.ts';

const [oldestLive, newest] = [23, 26];

/** The search and display ads API and its token endpoint. */
export const createSearchDisplay: MakePlatform = (state): SimulatedPlatform => {
  const sandbox = createState(state);
  return {
    name: 'search-display',
    failWith,
    making,
    control: createControl(sandbox),
    answer: (request) => answer(sandbox, request),
    ...consentOf(sandbox, (name) => addPerson(sandbox, { name }).person),
    holds: () => {
      const all = sandbox.all().toReversed();
      const rows = (kind: Resource['kind']): Fields[] =>
        all.filter((one) => one.kind === kind).map((one) => row(sandbox, one));
      return [
        { kind: 'campaigns', rows: rows('campaigns') },
        { kind: 'ad sets', rows: rows('adGroups') },
        { kind: 'ads', rows: rows('adGroupAds') },
      ];
    },
  };
};

/** Ads have no name; their ad group's is shown. */
function row(sandbox: SandboxState, resource: Resource): Fields {
  const { id, status, name, policySummary } = show(sandbox, resource);
  if (resource.kind !== 'adGroupAds') return { id, name, status };
  const group = sandbox.get(String(resource.fields['adGroup']));
  const review = isObject(policySummary) ? policySummary['approvalStatus'] : undefined;
  return { id: resource.id, name: group?.fields['name'], status, review };
}

const edges: Record<string, string[]> = {
  campaigns: ['campaigns'],
  adGroups: ['adsets'],
  adGroupAds: ['ads', 'creatives'],
  assets: ['images'],
};

/** One request creates several kinds of objects, so a fault in any name applies to each kind. */
function making({ path, body }: Received): { edge: string; name: string } | undefined {
  const list = [body['mutateOperations'], body['operations']].find(Array.isArray) as unknown[] | undefined;
  if (!list || body['validateOnly'] === true) return undefined;
  const service = /\/(\w+):mutate$/.exec(path)?.[1];
  const made = list.filter(isObject).flatMap((entry) => {
    const kind = kindNames.find((name) => `${kinds[name].one}Operation` in entry || name === service);
    const operation = kind && (entry[`${kinds[kind].one}Operation`] ?? entry);
    const create = isObject(operation) ? operation['create'] : undefined;
    return kind && isObject(create) ? [{ edges: edges[kind] ?? [], name: String(create['name'] ?? '') }] : [];
  });
  const reached = made.flatMap((one) => one.edges);
  const marked = made.find(({ name }) => name.includes('[fault:'))?.name ?? made.find(({ name }) => name !== '')?.name;
  const requested = /\[fault:\w+@(\w+)\]/.exec(marked ?? '')?.[1] ?? 'campaigns';
  const edge = reached.includes(requested) ? requested : reached[0];
  return edge === undefined || marked === undefined ? undefined : { edge, name: marked };
}

const notFound: Reply = { status: 404, body: '<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>' };

function answer(sandbox: SandboxState, request: Received): Reply {
  const { path, method } = request;
  if (path === '/token') return method === 'POST' ? exchange(sandbox, request) : notFound;
  const [, version = '', rest = ''] = /^\/(v\d+)\/(.+)$/.exec(path) ?? [];
  const number = Number(version.slice(1));
  if (version === '' || number > newest) return notFound;
  try {
    if (number < oldestLive) throw sunset(version);
    const body = dispatch(sandbox, { ...request, version, rest });
    return body === undefined ? notFound : { status: 200, body, headers: { 'request-id': newRequestId() } };
  } catch (error) {
    const reply = replyOf(error, version);
    return rest.endsWith(':searchStream') ? { ...reply, body: [reply.body] } : reply;
  }
}

const sunset = (version: string): AdsError => {
  const message = `Version ${version} is deprecated. Requests to this version will be blocked.`;
  return refusal('requestError.UNSUPPORTED_VERSION', 400, { message });
};

function replyOf(error: unknown, version: string): Reply {
  if (error instanceof AdsError) return envelope(error, version);
  if (error instanceof JsonError) return badJson(error);
  throw error;
}

function dispatch(sandbox: SandboxState, request: Received & { version: string; rest: string }): unknown {
  const { method, rest, token, headers, version } = request;
  const person = personOf(sandbox, token);
  requireDeveloperToken(request);
  if (method === 'GET') return rest === 'customers:listAccessibleCustomers' ? accessible(person) : undefined;
  if (method !== 'POST') return undefined;
  const json = jsonOf(request);
  if (rest === 'geoTargetConstants:suggest') return suggest(json);
  const [, id, service = '', verb] = /^customers\/([^/]+)\/(\w+):(\w+)$/.exec(rest) ?? [];
  if (id === undefined) return undefined;
  const customer = customerOf(sandbox, person, { id, login: headers['login-customer-id'] });
  const place = { sandbox, customer, version };
  const kind = kindNames.find((name) => name === service);
  if (service === 'googleAds' && verb === 'mutate') return mutateEverything(place, json);
  if (service === 'googleAds' && verb === 'search') return search(place, json);
  if (service === 'googleAds' && verb === 'searchStream') return searchStream(place, json);
  return kind && verb === 'mutate' ? mutateKind(place, kind, json) : undefined;
}

/** The body must be JSON with a JSON content type. */
function jsonOf({ json, bytes }: Received): unknown {
  if (json === undefined && bytes.length === 0) return {};
  if (isObject(json)) return json;
  throw new JsonError('Invalid JSON payload received. Expected an object.', '');
}
