import { randomUUID } from 'node:crypto';
import type { FaultName } from '../faults.ts';
import { bearerIn, consentOf } from '../oauth/auth-server.ts';
import type { MakePlatform, Received, Reply, SimulatedPlatform } from '../platform.ts';
import { accountOf, allow, keyText, ok, unsupported, verbOf, type Asked } from './request.ts';
import { analytics } from './analytics.ts';
import { withDelivery } from './delivery.ts';
import { addPerson, createControl } from './control.ts';
import { handleEntities } from './entities.ts';
import { badRequest, envelope, failWith, noResource, RestError } from './errors.ts';
import {
  adBudgetPricing,
  adTargetingEntities,
  audienceCounts,
  belongings,
  campaignConversions,
  organizationAcls,
  organizations,
} from './lookups.ts';
import { handleMedia, receiveUpload, uploadPath } from './media-library.ts';
import { createState, type Kind, type SandboxState } from './state.ts';
import { handlePosts } from './post-resource.ts';
import { adTrackingParameters } from './tracking.ts';
import { projected, showAccount, showEntity } from './read.ts';
import { parseQuery } from './restli.ts';
import { searchAccounts } from './search.ts';
import { isRecord, type Fields } from './shape.ts';
import { bearer, exchange } from './tokens.ts';

/** Supported API versions; the newest is unconfirmed. */
const live = { oldest: 202_512, newest: 202_611 };

/** The professional network's marketing API. */
export const createProfessional: MakePlatform = (state): SimulatedPlatform => {
  const sandbox = withDelivery(createState(state));
  return {
    name: 'professional',
    answer: (request) => marked(answer(sandbox, request)),
    failWith: (fault: FaultName) => marked(failWith(fault)),
    making,
    ...consentOf(sandbox, (name) => addPerson(sandbox, { name, currencies: ['USD', 'EUR'] })),
    control: createControl(sandbox),
    holds: () => [
      { kind: 'campaigns', rows: rows(sandbox, 'group', ['name', 'status']) },
      { kind: 'ad sets', rows: rows(sandbox, 'campaign', ['name', 'objectiveType', 'status']) },
      { kind: 'ads', rows: rows(sandbox, 'creative', ['name', 'intendedStatus', 'isServing']) },
    ],
  };
};

/** Every response has a request id. */
const marked = (reply: Reply): Reply => ({
  ...reply,
  headers: { 'x-li-uuid': randomUUID(), 'x-restli-protocol-version': '2.0.0', ...reply.headers },
});

const rows = (sandbox: SandboxState, kind: Kind, fields: string[]): Fields[] =>
  sandbox.entities
    .all()
    .filter((entity) => entity.kind === kind && !entity.isRemoved)
    .toReversed()
    .map((entity) => projected(showEntity(sandbox, entity), fields));

const edges: Record<string, string> = { adCampaignGroups: 'campaigns', adCampaigns: 'adsets', creatives: 'ads' };

/** Maps groups to campaigns, campaigns to ad sets and creatives to ads; a post has its name in the ad context. */
function making({ method, path, body }: Received): { edge: string; name: string } | undefined {
  if (method !== 'POST') return undefined;
  const last = path.split('/').at(-1) ?? '';
  const inner = isRecord(body['creative']) ? body['creative'] : body;
  const context = isRecord(body['adContext']) ? body['adContext'] : {};
  const name = last === 'posts' ? (context['dscName'] ?? body['commentary']) : inner['name'];
  return typeof name === 'string' ? { edge: edges[last] ?? last, name } : undefined;
}

function answer(sandbox: SandboxState, request: Received): Reply {
  try {
    if (request.path === '/oauth/v2/accessToken') return exchange(sandbox, request);
    if (request.path.startsWith(uploadPath))
      return receiveUpload(sandbox, bearer(sandbox, request.token).person, request);
    if (!request.path.startsWith('/rest/')) throw noResource();
    checkHeaders(request);
    checkLength(request);
    return dispatch(understood(sandbox, request));
  } catch (error) {
    if (error instanceof RestError) return envelope(error.problem);
    throw error;
  }
}

/** Neither header has a default. Messages other than that of a sunset version are unconfirmed. */
function checkHeaders({ headers }: Received): void {
  const version = headers['linkedin-version'];
  if (version === undefined)
    throw badRequest(
      'A version must be present. Please specify a version by adding the LinkedIn-Version header.',
      'VERSION_MISSING',
    );
  if (!/^\d{4}(0[1-9]|1[0-2])$/.test(version)) throw badRequest(`Version ${version} is not valid`, 'INVALID_VERSION');
  if (Number(version) < live.oldest || Number(version) > live.newest)
    throw new RestError({
      status: 426,
      code: 'NONEXISTENT_VERSION',
      message: `Requested version ${version}01 is not active`,
    });
  if (headers['x-restli-protocol-version'] !== '2.0.0')
    throw badRequest('The header X-Restli-Protocol-Version must be 2.0.0', 'INVALID_PROTOCOL_VERSION');
}

/** Longer queries must be sent as the body of a POST; the message is unconfirmed. */
function checkLength({ rawQuery, url }: Received): void {
  if (rawQuery.length > longestQuery || url.length + rawQuery.length > longestAddress)
    throw new RestError({ status: 414, code: 'URI_TOO_LONG', message: 'Request URI is too long' });
}

const longestQuery = 4096;
const longestAddress = 8192;

const nested = new Set(['adCampaignGroups', 'adCampaigns', 'creatives']);

function understood(sandbox: SandboxState, request: Received): Asked {
  const { person, scopes } = bearer(sandbox, bearerIn(request));
  const params = parseQuery(request.rawQuery);
  const parts = request.path.split('/').slice(2);
  const isEntity = parts[0] === 'adAccounts' && nested.has(parts[2] ?? '') ? parts.length > 3 : parts.length > 1;
  const verb = verbOf(request, params, isEntity);
  const hasBody = ['POST', 'PUT'].includes(request.method);
  if (hasBody && !isRecord(request.json)) throw badRequest('The body is not a JSON object');
  return { ...request, sandbox, person, scopes, params, parts, verb };
}

const resources: Record<string, (asked: Asked) => Reply> = {
  adAccounts,
  images: handleMedia,
  videos: handleMedia,
  posts: handlePosts,
  organizationAcls,
  organizations,
  adTargetingEntities,
  adAnalytics: (asked) => ok(analytics(asked)),
  campaignConversions,
  adTrackingParameters,
  conversions: belongings,
  adForms: belongings,
  audienceCounts,
  adBudgetPricing,
};

function dispatch(asked: Asked): Reply {
  const [name = ''] = asked.parts;
  const resource = Object.hasOwn(resources, name) ? resources[name] : undefined;
  if (!resource || asked.parts.length > (name === 'adAccounts' ? 4 : 2)) throw noResource();
  return resource(asked);
}

function adAccounts(asked: Asked): Reply {
  const { parts, verb, params } = asked;
  if (parts.length > 2) {
    if (!nested.has(parts[2] ?? '')) throw noResource();
    return handleEntities(asked);
  }
  if (verb === 'FINDER') return ok(searchAccounts(asked));
  if (verb !== 'GET') throw unsupported(asked);
  allow(asked, 'fields');
  return ok(projected(showAccount(accountOf(asked, keyText(parts[1]), false)), params['fields']));
}
