import { randomBytes } from 'node:crypto';
import { bearerIn, consentOf, type Holder } from '../oauth/auth-server.ts';
import type { MakePlatform, Received, Reply, SimulatedPlatform } from '../platform.ts';
import { createControl } from './control.ts';
import { isKind, list, show, write } from './entities.ts';
import { failWith, missingScope, notAuthenticated, notPermitted, PinError, rateHeaders, refusal } from './errors.ts';
import { listAccounts, listAudiences, showAccount, showPerson, showTag, targeting } from './lookups.ts';
import { boardOf, createBoard, createPin, listBoards, listPins, pinOf, showBoard, showPin } from './pins.ts';
import { downloadReport, showReport, startReport } from './prepared-reports.ts';
import { analytics, targetingAnalytics } from './reports.ts';
import { exchange } from './tokens.ts';
import {
  addPerson,
  createState,
  type AdAccount,
  type Fields,
  type Kind,
  type Person,
  type SandboxState,
  type Trial,
} from './state.ts';

interface Asked extends Received {
  sandbox: SandboxState;
  person: Person;
  grant: Holder<Person, 'access' | 'refresh', Trial>;
  /** Path segments after the version. */
  parts: string[];
}

/** Every response has the id of its request. */
const randomRid = (): string => String(randomBytes(8).readBigUInt64BE());

/** The pin-board network's API for boards, pins and ads. */
export const createPinBoard: MakePlatform = (state): SimulatedPlatform => {
  const sandbox = createState(state);
  return {
    name: 'pin-board',
    failWith,
    making,
    ...consentOf(sandbox, (name) => addPerson(sandbox, { name, currencies: ['USD'] })),
    control: createControl(sandbox),
    answer(request) {
      const reply = answered(() =>
        request.path === '/v5/oauth/token' && request.method === 'POST'
          ? exchange(sandbox, request)
          : (downloadReport(sandbox, request) ?? dispatch(asked(sandbox, request))),
      );
      return { ...reply, headers: { 'x-pinterest-rid': randomRid(), ...rateHeaders(), ...reply.headers } };
    },
    holds: () => [
      {
        kind: 'campaigns',
        rows: rows(sandbox, 'campaigns', ['name', 'objective_type', 'daily_spend_cap', 'lifetime_spend_cap', 'status']),
      },
      {
        kind: 'ad groups',
        rows: rows(sandbox, 'ad_groups', ['name', 'budget_in_micro_currency', 'budget_type', 'status']),
      },
      { kind: 'ads', rows: rows(sandbox, 'ads', ['name', 'status', 'review_status']) },
    ],
  };
};

/** The page shows only the newest. */
const shownRows = 50;

function rows(sandbox: SandboxState, kind: Kind, names: string[]): Fields[] {
  const shelf = sandbox.entities[kind];
  const newest = shelf.ids.slice(-shownRows).toReversed();
  return newest.flatMap((id) => {
    const entity = shelf.get(id);
    const all = entity && show(sandbox, kind, entity);
    return all ? [Object.fromEntries(['id', ...names].map((name) => [name, all[name]]))] : [];
  });
}

const edges: Record<string, string> = {
  campaigns: 'campaigns',
  ad_groups: 'adsets',
  ads: 'ads',
  pins: 'pins',
  boards: 'boards',
};

/** Ads entities are sent in lists; the first name that contains a fault applies to the request. */
function making({ method, path, body, json }: Received): { edge: string; name: string } | undefined {
  const edge = edges[path.split('/').at(-1) ?? ''];
  if (method !== 'POST' || !edge) return undefined;
  const elements = (Array.isArray(json) ? json : [body]) as (Fields | null)[];
  const names = elements.map((element) => String(element?.['name'] ?? element?.['title'] ?? ''));
  return { edge, name: names.find((name) => name.includes('[fault:')) ?? names[0] ?? '' };
}

function answered(work: () => Reply): Reply {
  try {
    return work();
  } catch (error) {
    if (error instanceof PinError) return refusal(error);
    throw error;
  }
}

function asked(sandbox: SandboxState, request: Received): Asked {
  const [, version, ...parts] = request.path.split('/');
  if (version !== 'v5') throw notFound();
  // Only the header is accepted, no parameter.
  const grant = sandbox.holderOf(bearerIn(request), 'access');
  if (grant?.state !== 'good') throw notAuthenticated();
  return { ...request, sandbox, person: grant.person, grant, parts };
}

// The documentation has no code for unknown paths.
const notFound = (): PinError => new PinError(404, 404, 'Not found.');
const noMethod = (): PinError => new PinError(405, 5, 'Method not allowed');
const ok = (body: unknown): Reply => ({ status: 200, body });

function dispatch(request: Asked): Reply {
  const { sandbox, person, method, parts, query } = request;
  const [what = '', id, edge] = parts;
  if (what === 'ad_accounts' && id !== undefined) return ofAccount(request, id);
  if (what === 'ad_accounts' && method === 'GET') {
    needs(request, 'ads:read');
    return ok(listAccounts(sandbox, person, query));
  }
  if (what === 'user_account' && id === undefined && method === 'GET') {
    needs(request, 'user_accounts:read');
    return ok(showPerson(sandbox, sandbox.people.get(actorOf(request)) ?? person));
  }
  if (what === 'resources' && id === 'targeting' && edge !== undefined && method === 'GET') {
    needs(request, 'ads:read');
    return ok(targeting(edge, parts[3]));
  }
  if (what === 'boards') return ofBoards(request);
  if (what === 'pins') return ofPins(request);
  throw notFound();
}

function needs({ grant: { scopes } }: Asked, ...requested: string[]): void {
  const missing = requested.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0) throw missingScope(missing.join(', '));
}

function accountOf({ sandbox, person }: Asked, id: string): AdAccount {
  if (!/^\d{1,18}$/.test(id)) throw new PinError(400, 400, 'Invalid ad account id');
  const account = sandbox.accounts.get(id);
  if (!account) throw new PinError(404, 2, 'AdAccount not found.');
  if (account.ownerId !== person.id && !account.memberIds.includes(person.id)) throw notPermitted();
  return account;
}

/** The owner of the boards and pins: with an ad account in the query, its owner. */
function actorOf(request: Asked): string {
  const accountId = request.query['ad_account_id'];
  return accountId === undefined ? request.person.id : accountOf(request, accountId).ownerId;
}

function ofAccount(request: Asked, accountId: string): Reply {
  const { sandbox, person, method, parts, query } = request;
  const [, , what, below] = parts;
  const isReport = what === 'reports' && below === undefined;
  const isWrite = method !== 'GET' && !isReport;
  needs(request, isWrite ? 'ads:write' : 'ads:read');
  const account = accountOf(request, accountId);
  if (isReport) return ok(reportOf(request, account));
  const figures = isWrite ? undefined : figuresIn(request, account);
  if (figures) return ok(figures);
  if (isKind(what) && below !== undefined && !isWrite) return ok(one(request, account, what));
  if (isKind(what) && below === undefined) {
    const target = { account, kind: what };
    if (!isWrite) return ok(list(sandbox, target, request));
    if (method === 'POST' || method === 'PATCH') return ok(write(sandbox, target, request));
  }
  if (isWrite) throw noMethod();
  if (below !== undefined) throw notFound();
  if (what === undefined) return ok(showAccount(sandbox, person, account));
  if (what === 'conversion_tags') return ok({ items: [showTag(account)] });
  if (what === 'audiences') return ok(listAudiences(account, query));
  throw notFound();
}

function reportOf(request: Asked, account: AdAccount): Fields {
  const { sandbox, method, json } = request;
  if (method === 'POST') return startReport(sandbox, account, json);
  if (method === 'GET') return showReport(sandbox, account, request);
  throw noMethod();
}

/** Figures of the ad account, or of one of its levels. */
function figuresIn(request: Asked, account: AdAccount): unknown {
  const { sandbox, parts } = request;
  const [, , what, below] = parts;
  const level = isKind(what) ? what : 'account';
  const edge = isKind(what) ? below : what;
  if (edge === 'analytics') return analytics({ sandbox, account, level }, request);
  if (edge === 'targeting_analytics') return targetingAnalytics({ sandbox, account, level }, request);
  return undefined;
}

function one({ sandbox, parts }: Asked, account: AdAccount, kind: Kind): Fields {
  const entity = sandbox.entities[kind].get(parts[3] ?? '');
  if (entity?.accountId !== account.id) throw notFound();
  return show(sandbox, kind, entity);
}

function ofBoards(request: Asked): Reply {
  const { sandbox, method, parts, query, json } = request;
  const [, id, edge] = parts;
  needs(request, 'boards:read', ...(method === 'GET' ? [] : ['boards:write']));
  const owner = actorOf(request);
  if (method === 'POST' && id === undefined) return { status: 201, body: createBoard(sandbox, owner, json) };
  if (method !== 'GET') throw noMethod();
  if (id === undefined) return ok(listBoards(sandbox, owner, query));
  const board = boardOf(sandbox, owner, id);
  return edge === 'pins' ? ok(listPins(sandbox, board.id, query)) : ok(showBoard(sandbox, board));
}

function ofPins(request: Asked): Reply {
  const { sandbox, method, parts, query, json } = request;
  const [, id] = parts;
  needs(request, 'boards:read', 'pins:read', ...(method === 'GET' ? [] : ['boards:write', 'pins:write']));
  const owner = actorOf(request);
  if (method === 'POST' && id === undefined) {
    if (request.grant.isTrial) throw notPermitted();
    return { status: 201, body: createPin(sandbox, owner, json) };
  }
  if (method !== 'GET') throw noMethod();
  return id === undefined ? ok(listPins(sandbox, owner, query)) : ok(showPin(sandbox, pinOf(sandbox, owner, id)));
}
