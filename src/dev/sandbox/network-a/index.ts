import { randomBytes } from 'node:crypto';
import type { FaultName } from '../faults.ts';
import { consentOf } from '../oauth/auth-server.ts';
import type { MakePlatform, Received, Reply, SimulatedPlatform } from '../platform.ts';
import { checkAdSet } from './ad-sets.ts';
import { checkedProof } from './app-proof.ts';
import { checkAd } from './ads.ts';
import { checkCampaign } from './campaigns.ts';
import { changed } from './changes.ts';
import { wantsValidation, type Body } from './checks.ts';
import { createControl } from './control.ts';
import { copy } from './copies.ts';
import { checkCreative } from './creatives.ts';
import { envelope, failWith, GraphError, unknownObject } from './errors.ts';
import { insights } from './insights.ts';
import { resultOf, runOf, showRun, startRun, type ReportRun } from './report-runs.ts';
import { search, showAccount } from './lookups.ts';
import { addImage, checkVideo, pollVideo } from './media-library.ts';
import { accessToken, debugToken, permissions, requireScope } from './oauth.ts';
import {
  createState,
  pagesOf,
  type AdAccount,
  type GraphObject,
  type Holder,
  type Person,
  type SandboxState,
} from './state.ts';
import { createPerson, me, ofBusiness, showPage } from './people.ts';
import { childrenOf, normalised, pageOf, show } from './read.ts';
import { accountIn, usage } from './usage.ts';

const oldestLive = 25;
const kinds: Record<string, GraphObject['kind']> = {
  campaigns: 'campaign',
  adsets: 'adset',
  ads: 'ad',
  adcreatives: 'adcreative',
  advideos: 'advideo',
};

interface Asked extends Received {
  sandbox: SandboxState;
  person: Person;
  holder: Holder;
  /** Path segments after the version. */
  parts: string[];
}

/** Every response has ids that its support asks for. */
const traced = () => ({
  'x-fb-trace-id': randomBytes(8).toString('base64url'),
  'x-fb-request-id': randomBytes(12).toString('base64url'),
});

/** The social and photo-sharing networks' marketing API. */
export const createNetworkA: MakePlatform = (state): SimulatedPlatform => {
  const sandbox = createState(state);
  return {
    name: 'network-a',
    failWith(fault: FaultName, request) {
      const reply = failWith(fault, accountIn(request));
      return { ...reply, headers: { ...traced(), ...usage(sandbox, request).headers, ...reply.headers } };
    },
    making: (request) => making(sandbox, request),
    ...consentOf(
      sandbox,
      (name) => createPerson(sandbox, { name }),
      ({ pages }) => pages.map((page) => page.name).join(', '),
    ),
    control: createControl(sandbox),
    answer: (request) => ({
      ...answer(sandbox, request),
      headers: { ...traced(), ...usage(sandbox, request).headers },
    }),
    holds: () => [
      holding(sandbox, 'campaign', 'name objective status'),
      holding(sandbox, 'adset', 'name optimization_goal daily_budget lifetime_budget status'),
      holding(sandbox, 'ad', 'name status effective_status'),
    ],
  };
};

/** A copy has its source's name until it is renamed, so a fault in that name applies to copies too. */
function making(sandbox: SandboxState, { path, body }: Received): { edge: string; name: string } | undefined {
  const [edge = '', id = ''] = path.split('/').toReversed();
  const name = edge === 'copies' ? sandbox.objects.get(id)?.fields['name'] : body['name'];
  return typeof name === 'string' ? { edge, name } : undefined;
}

const shown = 50;

function holding(
  sandbox: SandboxState,
  kind: GraphObject['kind'],
  fields: string,
): ReturnType<SimulatedPlatform['holds']>[number] {
  const ids = sandbox.ids(kind);
  const rows = ids
    .slice(-shown)
    .toReversed()
    .flatMap((id) => {
      const object = sandbox.objects.get(id);
      return object ? [show(sandbox, object, fields.replaceAll(' ', ','))] : [];
    });
  return { kind: kind === 'adset' ? 'ad sets' : `${kind}s`, rows, total: ids.length };
}

function answer(sandbox: SandboxState, request: Received): Reply {
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
    if (parts.join('/') === 'oauth/access_token') return { status: 200, body: accessToken(sandbox, request) };
    if (parts.join('/') === 'debug_token') return { status: 200, body: debugToken(sandbox, request) };
    const holder = holderOf(sandbox, request.token, parts[0] === 'me');
    const { person } = holder;
    return { status: 200, body: dispatch({ ...checkedProof(sandbox, request), sandbox, parts, person, holder }) };
  } catch (error) {
    if (error instanceof GraphError) return envelope(error.fault);
    throw error;
  }
}

function holderOf(sandbox: SandboxState, token: string | undefined, isMe: boolean): Holder {
  if (!token)
    throw new GraphError({
      code: isMe ? 2500 : 104,
      message: isMe
        ? 'An active access token must be used to query information about the current user.'
        : 'An access token is required to request this resource.',
    });
  const holder = sandbox.holderOf(token);
  const expired = {
    code: 190,
    subcode: 463,
    message: 'Error validating access token: Session has expired',
    status: 401,
  };
  if (!holder)
    throw new GraphError({ code: 190, message: 'Invalid OAuth access token - Cannot parse access token', status: 401 });
  if (holder.state === 'expired') throw new GraphError(expired);
  if (holder.state === 'invalid')
    throw new GraphError({
      ...expired,
      subcode: 467,
      message: 'Error validating access token: The session is invalid',
    });
  return holder;
}

function dispatch(asked: Asked): unknown {
  const { method, parts, holder } = asked;
  const [id = '', edge] = parts;
  if (!['GET', 'POST', 'DELETE'].includes(method))
    throw new GraphError({ code: 100, message: `Unsupported method, ${method}` });
  if (parts.length > 2) throw new GraphError({ code: 2500, message: 'Unknown path components' });
  if (method === 'GET' && id === 'me' && edge === 'permissions') return permissions(holder);
  requireScopeOf(asked);
  // Reads of several ids, which apps that are newer than 4 November 2026 cannot make. The code is unconfirmed.
  if (id === '') throw new GraphError({ code: 100, message: 'Multi-ID requests are not available to this app' });
  if (method === 'GET' && id === 'me') return me({ ...asked, pageId: holder.pageId }, edge);
  if (method === 'GET' && id === 'search') return search(asked.query);
  if (id.startsWith('act_')) return ofAccount(asked, accountOf(asked, id), edge);
  const held = method === 'GET' ? ofPerson(asked, id, edge) : undefined;
  if (held) return held;
  const run = method === 'GET' ? ownRun(asked, id) : undefined;
  if (run && edge === undefined) return showRun(asked.sandbox, run, asked.query);
  if (run && edge === 'insights') return resultOf(asked.sandbox, run, asked.query);
  if (edge === undefined) return single(asked, objectOf(asked, id));
  if (method === 'GET') return children(asked, objectOf(asked, id), edge);
  if (method === 'POST' && edge === 'copies') return copy(asked.sandbox, objectOf(asked, id), asked.body);
  throw unknownObject(id);
}

/** Scopes that the main calls require. */
function requireScopeOf({ method, parts: [id = '', edge], holder }: Asked): void {
  if (edge === 'accounts') requireScope(holder, 'pages_show_list');
  if (id === 'me' && edge === 'adaccounts') requireScope(holder, 'ads_read', 'ads_management');
  if (method !== 'GET' && edge !== 'insights') requireScope(holder, 'ads_management');
  else if (id.startsWith('act_')) requireScope(holder, 'ads_read', 'ads_management');
  if (method === 'POST' && edge === 'adcreatives') {
    requireScope(holder, 'pages_read_engagement');
    requireScope(holder, 'pages_manage_ads');
  }
}

/** Returns a page or business, if the id belongs to one. */
function ofPerson({ person, query }: Asked, id: string, edge: string | undefined): unknown {
  const page = edge === undefined ? pagesOf(person).find((own) => own.id === id) : undefined;
  if (page) return showPage(person, page, query);
  const business = person.businesses?.find((own) => own.id === id);
  return business && ofBusiness(person, business, edge, query);
}

function accountOf({ sandbox, person }: Asked, id: string): AdAccount {
  const account = sandbox.accounts.get(id.slice('act_'.length));
  if (account?.userId !== person.id) throw unknownObject(id);
  return account;
}

function ownRun({ sandbox, person }: Asked, id: string): ReportRun | undefined {
  const run = runOf(sandbox, id);
  return run && sandbox.accounts.get(run.accountId)?.userId === person.id ? run : undefined;
}

const isOwn = ({ sandbox, person }: Asked, id: string): boolean =>
  sandbox.accounts.get(sandbox.objects.get(id)?.accountId ?? '')?.userId === person.id;

function objectOf(asked: Asked, id: string): GraphObject {
  const object = asked.sandbox.objects.get(id);
  if (!object || !isOwn(asked, id)) throw unknownObject(id);
  return object;
}

function ofAccount(asked: Asked, account: AdAccount, edge: string | undefined): unknown {
  const { sandbox, method, query, body, person } = asked;
  if (edge === undefined && method === 'GET') return showAccount(account, query);
  if (edge === undefined) throw unknownObject(`act_${account.id}`);
  if (edge === 'adimages' && method === 'POST') return addImage(sandbox, account, body);
  if (edge === 'insights' && method === 'GET') return insights(sandbox, account, query);
  if (edge === 'insights' && method === 'POST') return startRun(sandbox, account, body);
  const kind = kinds[edge];
  if (!kind) throw unknownObject(`act_${account.id}/${edge}`);
  if (method === 'GET') return pageOf(sandbox, sandbox.under(kind, account.id), query);
  const checks: Partial<Record<GraphObject['kind'], () => Body>> = {
    campaign: () => checkCampaign(account, body),
    adset: () => checkAdSet(sandbox, account, body),
    adcreative: () => checkCreative(sandbox, { account, person }, body),
    ad: () => checkAd(sandbox, account, body),
    advideo: () => checkVideo(body),
  };
  if (method !== 'POST') throw unknownObject(`act_${account.id}/${edge}`);
  const fields = checks[kind]?.() ?? body;
  if (wantsValidation(body)) return { success: true };
  const { access_token: _token, execution_options: _options, ...kept } = fields;
  const id = sandbox.add({ kind, accountId: account.id, fields: normalised(kept) });
  return kind === 'adset' ? { id, success: true } : { id };
}

function single({ sandbox, method, query, body }: Asked, object: GraphObject): unknown {
  const fields = query['fields'] ?? 'id';
  if (method === 'GET')
    return object.kind === 'advideo' ? pollVideo(sandbox, object, fields) : show(sandbox, object, fields);
  const next =
    method === 'DELETE'
      ? [{ ...object, fields: { ...object.fields, status: 'DELETED' } }]
      : changed(sandbox, object, body);
  if (wantsValidation(body)) return { success: true };
  const updatedAt = new Date().toISOString();
  for (const one of next) sandbox.objects.put(one.id, { ...one, fields: normalised(one.fields), updatedAt });
  return { success: true };
}

function children({ sandbox, query }: Asked, parent: GraphObject, edge: string): unknown {
  if (edge === 'insights' && /^(campaign|adset|ad)$/.test(parent.kind)) return insights(sandbox, parent, query);
  const kind = kinds[edge];
  const copies = edge === 'copies' ? sandbox.under(parent.kind, parent.id) : undefined;
  const below = copies ?? (kind && childrenOf(sandbox, parent, kind));
  if (!below) throw unknownObject(`${parent.id}/${edge}`);
  return pageOf(sandbox, below, query);
}
