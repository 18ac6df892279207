import { randomInt, randomUUID } from 'node:crypto';
import type { Holder as TokenHolder } from '../oauth/auth-server.ts';
import type { Received } from '../platform.ts';
import { parsedList, requireText, type Body } from './checks.ts';
import { scopesOf } from '../oauth/scopes.ts';
import { missing, VendorError, wrong } from './errors.ts';
import type { Advertiser, Identity, Person, SandboxState } from './state.ts';

type Holder = TokenHolder<Person, 'access', object>;

export interface PersonOptions {
  name?: string;
  currencies?: string[];
}

/** Creates a user with an ad account per currency and an identity that has two posts. */
export function createPerson(sandbox: SandboxState, { name = 'Shop', currencies = ['USD'] }: PersonOptions): Person {
  const personId = sandbox.newId();
  const username = `${name.toLowerCase().replace(/[^a-z0-9]+/g, '') || 'shop'}.${randomInt(1000, 10_000)}`;
  const own: Identity = { id: randomUUID(), type: 'TT_USER', name, posts: [post(sandbox, 1), post(sandbox, 2)] };
  const advertiserIds = currencies.map((currency) => {
    const id = sandbox.newId();
    const timezone = currency === 'JPY' ? 'Asia/Tokyo' : currency === 'EUR' ? 'Europe/Berlin' : 'America/New_York';
    const advertiser = { id, name: `${name} ${currency}`, currency, timezone, status: 'STATUS_ENABLE', personId };
    sandbox.advertisers.put(id, advertiser);
    sandbox.identities.put(id, [own]);
    return id;
  });
  const person = { id: personId, name, username, advertiserIds };
  sandbox.people.put(personId, person);
  return person;
}

const post = (sandbox: SandboxState, no: number): Identity['posts'][number] => ({
  itemId: sandbox.newId(),
  text: `Post ${no}`,
  videoId: `v10044g50000${sandbox.newId()}`,
});

/** A code is valid once, for an hour and for its own app. Unconfirmed: the code of its rejection. */
export function exchangeCode(sandbox: SandboxState, { body }: Received): Body {
  const [appId, code] = [requireText(body, 'app_id'), requireText(body, 'auth_code')];
  requireText(body, 'secret');
  const redeemed = sandbox.codes.redeem({ code, clientId: appId });
  if ('problem' in redeemed) throw new VendorError(40110, 'The auth_code is invalid, has expired or has been used.');
  return {
    access_token: sandbox.tokens.issue('access', redeemed),
    advertiser_ids: sandbox.people.get(redeemed.personId)?.advertiserIds ?? [],
    scope: (redeemed.scopes ?? scopesOf('network-c')).map(Number),
  };
}

/** Unconfirmed: what each scope number permits. */
const needed: [RegExp, string][] = [
  [/^(campaign|adgroup|ad)\//, '10'],
  [/^(identity|file)\//, '12'],
  [/^report\//, '15'],
];

/** Rejects a call that needs a scope the person did not grant. */
export function requireGrant({ scopes }: Holder, route: string): void {
  const [method, path = ''] = route.split(' ');
  const scope = needed.find(([pattern]) => pattern.test(path))?.[1];
  if (scope === undefined || scopes.includes(scope)) return;
  throw new VendorError(40001, `The advertiser does not grant you /${path}:${method} permission.`);
}

/** 40104 without a token, 40102 if it has expired, otherwise 40105. */
export function holderOf(sandbox: SandboxState, token: string | undefined): Holder {
  if (!token) throw new VendorError(40104, 'Access-Token: The access token is empty.');
  const holder = sandbox.holderOf(token);
  if (holder?.state === 'expired') throw new VendorError(40102, 'The access token has expired');
  if (holder?.state !== 'good') throw new VendorError(40105, 'Access token is incorrect or has been revoked.');
  return holder;
}

/** An advertiser that left its business stays listed, but nothing of it can be read. */
const lostStatus = 'REMOVED_FROM_BUSINESS';

export function advertiserOf(sandbox: SandboxState, person: Person, id: string): Advertiser {
  const advertiser = sandbox.advertisers.get(id);
  const isLost = advertiser?.status === lostStatus;
  if (advertiser?.personId !== person.id || isLost) {
    throw new VendorError(40001, `No permission to operate advertiser ${id}.`);
  }
  return advertiser;
}

export function listAdvertisers(sandbox: SandboxState, person: Person, { query }: Received): Body {
  requireText(query, 'app_id');
  requireText(query, 'secret');
  const own = person.advertiserIds.flatMap((id) => sandbox.advertisers.get(id) ?? []);
  return { list: own.map(({ id, name }) => ({ advertiser_id: id, advertiser_name: name })) };
}

const infoNames =
  'advertiser_id name currency timezone display_timezone status rejection_reason role country language balance company create_time owner_bc_id email telephone_number industry'.split(
    ' ',
  );

export function advertiserInfo(sandbox: SandboxState, person: Person, { query }: Received): Body {
  const ids = parsedList(query, 'advertiser_ids');
  if (!ids?.length) throw missing('advertiser_ids');
  if (ids.length > 100) throw new VendorError(40011, 'advertiser_ids: More than 100 ids.');
  const names = parsedList(query, 'fields') ?? infoNames;
  const odd = names.find((name) => !infoNames.includes(name));
  if (odd !== undefined) throw wrong(`fields: Invalid value ${odd}.`);
  const all = ids.map((id) => infoOf(advertiserOf(sandbox, person, id)));
  return {
    list: all.map((info) => Object.fromEntries(['advertiser_id', ...names].map((name) => [name, info[name] ?? null]))),
  };
}

const infoOf = ({ id, name, currency, timezone, status, rejectionReason = '' }: Advertiser): Body => ({
  advertiser_id: id,
  name,
  currency,
  timezone,
  display_timezone: timezone,
  status,
  rejection_reason: rejectionReason,
  role: 'ROLE_ADVERTISER',
  language: 'en',
  balance: 0,
});

export const userInfo = ({ id, name }: Person): Body => ({
  core_user_id: id,
  display_name: name,
  email: 'p***@example.com',
  create_time: 1_700_000_000,
});
