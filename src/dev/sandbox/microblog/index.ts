import { randomBytes } from 'node:crypto';
import { consentOf } from '../oauth/auth-server.ts';
import type { MakePlatform, Received, Reply, SimulatedPlatform } from '../platform.ts';
import { withDelivery } from './delivery.ts';
import { createControl } from './control.ts';
import { AdsError, envelope, failWith, forbidden, unauthorized } from './errors.ts';
import { oauth } from './oauth.ts';
import { createPerson } from './people.ts';
import { posting } from './posting.ts';
import { createRate, type Rate } from './rate.ts';
import { partsOf, route } from './routes.ts';
import { reviewOf } from './serialize.ts';
import { createNonces, verify, type Nonces } from './signature.ts';
import { BatchError } from './targeting.ts';
import { filesPath, jobFile } from './stats-jobs.ts';
import { createState, type Kind, type Params, type Person, type Thing, type SandboxState } from './state.ts';

export { consumerKey, consumerSecret } from './people.ts';

const [current, deprecated] = ['12', '11'];

interface Tools {
  sandbox: SandboxState;
  nonces: Nonces;
  rate: Rate;
}

/** The microblog network: its ads API, its OAuth 1.0a flow and the part of the posting API that connecting needs. */
export const createMicroblog: MakePlatform = (state): SimulatedPlatform => {
  const sandbox = withDelivery(createState(state));
  const tools = { sandbox, nonces: createNonces(), rate: createRate(() => sandbox.settings.isRateEnforced) };
  return {
    name: 'microblog',
    answer: (request) => answer(tools, request),
    failWith: (fault, request) => failWith(fault, request),
    making: (request) => making(sandbox, request),
    ...consentOf(
      sandbox,
      (name) => createPerson(sandbox, { name }).person,
      () => undefined,
    ),
    control: createControl(sandbox),
    holds: () => [
      { kind: 'campaigns', rows: rows(sandbox, 'campaign', named) },
      { kind: 'ad sets', rows: rows(sandbox, 'line_item', named) },
      { kind: 'ads', rows: rows(sandbox, 'promoted_tweet', (thing) => ad(sandbox, thing)) },
    ],
  };
};

const named = ({ id, fields, isDeleted }: Thing): Record<string, unknown> => ({
  id,
  name: fields['name'],
  status: isDeleted ? 'DELETED' : fields['entity_status'],
});

const ad = (sandbox: SandboxState, thing: Thing): Record<string, unknown> => ({
  ...named(thing),
  name: sandbox.things.get(thing.parentId)?.fields['name'],
  review: reviewOf(sandbox, thing),
});

const rows = (
  sandbox: SandboxState,
  kind: Kind,
  row: (thing: Thing) => Record<string, unknown>,
): Record<string, unknown>[] =>
  sandbox.things
    .all()
    .filter((thing) => thing.kind === kind)
    .toReversed()
    .map(row);

const edges: Record<string, string> = {
  campaigns: 'campaigns',
  line_items: 'adsets',
  promoted_tweets: 'ads',
  tweet: 'posts',
  targeting_criteria: 'targeting',
};

/** Ads and criteria have no names; the name of their line item applies. */
function making(
  sandbox: SandboxState,
  { method, path, query, form, json }: Received,
): { edge: string; name: string } | undefined {
  const edge = edges[path.split('/').at(-1) ?? ''];
  if (method !== 'POST' || !edge) return undefined;
  const params: Params = { ...query, ...form };
  const first = Array.isArray(json) ? (json[0] as { params?: { line_item_id?: unknown } } | undefined) : undefined;
  const itemId = params['line_item_id'] ?? first?.params?.line_item_id;
  const above = typeof itemId === 'string' ? sandbox.things.get(itemId)?.fields['name'] : undefined;
  const name = params['name'] ?? params['text'] ?? above;
  return name === undefined ? undefined : { edge, name };
}

function answer(tools: Tools, request: Received): Reply | Promise<Reply> {
  const [, first = ''] = request.path.split('/');
  if (first === 'oauth') return oauth(tools.sandbox, tools.nonces, request);
  if (first === '2') return posting(tools.sandbox, request);
  if (first === filesPath) return jobFile(tools.sandbox, request.path);
  if (first === current || first === deprecated) return ads(tools, request, first);
  return { status: 404, body: '<!doctype html><title>Not found</title><p>Sorry, that page does not exist.</p>' };
}

function ads({ sandbox, nonces, rate }: Tools, request: Received, version: string): Reply {
  const path = request.path.slice(version.length + 2);
  const params: Params = { ...request.query, ...request.form };
  const { headers, isOver } = rate.count(request);
  const shared = {
    'x-current-api-version': current,
    'x-transaction-id': randomBytes(8).toString('hex'),
    ...(version === deprecated && { 'x-api-warn': `Version ${deprecated} is deprecated` }),
    ...headers,
  };
  const { accountId } = partsOf(path);
  const echo = { ...echoed(params), ...(accountId && { account_id: accountId }) };
  try {
    const person = signer(sandbox, nonces, request);
    if (!sandbox.settings.hasAdsAccess)
      throw forbidden('UNAUTHORIZED_CLIENT_APPLICATION', 'The client application has no access to the ads API');
    if (isOver) throw new AdsError(429, { code: 'TOO_MANY_REQUESTS', message: 'Too many requests' });
    const body = route({ sandbox, person, params, json: request.json, url: request.url }, request.method, path);
    const asked = path.startsWith('batch/') ? request.json : { params: echo };
    return { status: request.method === 'POST' ? 201 : 200, body: { request: asked, ...body }, headers: shared };
  } catch (error) {
    if (error instanceof AdsError) return { ...envelope(error, echo), headers: shared };
    if (!(error instanceof BatchError)) throw error;
    const { status, problems } = error;
    return { status, body: { operation_errors: problems, request: request.json }, headers: shared };
  }
}

function signer(sandbox: SandboxState, nonces: Nonces, request: Received): Person {
  const secretOf = (token: string): string | undefined => {
    const known = sandbox.tokens.find(token, 'signing');
    return known?.state === 'good' ? known.secret : undefined;
  };
  const verified = verify(request, { nonces, secretOf });
  const holder = 'header' in verified ? sandbox.holderOf(verified.header['oauth_token'], 'signing') : undefined;
  if (!holder) throw unauthorized();
  return holder.person;
}

/** The parameters as parsed, echoed in the response. */
const echoed = (params: Params): Record<string, unknown> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, understood(name, value)]));

function understood(name: string, value: string): unknown {
  if (/_ids$|^placements$|^metric_groups$/.test(name)) return value.split(',');
  if (/_micro$|^count$/.test(name) && /^\d+$/.test(value)) return Number(value);
  return value === 'true' || value === 'false' ? value === 'true' : value;
}
