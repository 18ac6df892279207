import { randomBytes } from 'node:crypto';
import type { Consent } from '../platform.ts';
import type { AdAccount, Person, RequestToken, Token, World } from './state.ts';

export const consumerKey = 'sandbox-consumer-key';
export const consumerSecret = 'sandbox-consumer-secret';

/** Lifetime of bearer tokens: two hours. */
export const bearerSeconds = 7_200;

export const secret = (length = 24): string => randomBytes(length).toString('base64url').replace(/[-_]/g, 'x');

/** Creates a user with an ad account per currency. */
export function createPerson(
  world: World,
  { name, currencies = ['USD'] }: { name: string; currencies?: string[] },
): { person: Person; adAccounts: AdAccount[] } {
  const id = world.newLongId();
  const handle = name.toLowerCase().replace(/\W+/g, '_').slice(0, 10);
  const person = { id, name, username: `${handle}_${Number(id.slice(-6)).toString(36)}`.slice(0, 15) };
  world.people.put(id, person);
  return { person, adAccounts: currencies.map((currency) => createAccount(world, person, currency)) };
}

/** Accounts start with one usable and one unusable funding instrument, and a promotable user limited to retweets. */
export function createAccount(world: World, { id: userId, name }: Person, currency: string): AdAccount {
  const createdAt = new Date().toISOString();
  const account: AdAccount = {
    id: `18ce${world.newId()}`,
    userId,
    name: `${name} ${currency}`,
    currency,
    timezone: 'America/Los_Angeles',
    createdAt,
    funding: [false, true].map((isAble) => ({ id: world.newId(), currency, isAble, createdAt })),
    promotable: [
      { id: world.newId(), userId: world.newLongId(), type: 'RETWEETS_ONLY' },
      { id: world.newId(), userId, type: 'FULL' },
    ],
    webEventTagId: world.newId(),
    audiences: [true, false].map((isTargetable) => ({ id: world.newId(), isTargetable })),
  };
  world.accounts.put(account.id, account);
  return account;
}

export function issueSigning(world: World, userId: string): { token: string; secret: string } {
  const pair = { token: `${userId}-${secret(30)}`, secret: secret(33) };
  world.tokens.put(pair.token, { ...pair, kind: 'signing', userId, state: 'good' });
  return pair;
}

/** Issues a bearer token and a single-use refresh token. */
export function issueBearer(
  world: World,
  { userId, clientId, scopes }: { userId: string; clientId?: string; scopes?: string[] },
): { accessToken: string; refreshToken: string } {
  const [accessToken, refreshToken] = [secret(60), secret(60)];
  const shared: Pick<Token, 'userId' | 'clientId' | 'scopes' | 'state'> = { userId, clientId, scopes, state: 'good' };
  const expiresAt = Date.now() + bearerSeconds * 1000;
  world.tokens.put(accessToken, { ...shared, token: accessToken, kind: 'bearer', expiresAt });
  world.tokens.put(refreshToken, { ...shared, token: refreshToken, kind: 'refresh' });
  return { accessToken, refreshToken };
}

type Chosen = Pick<Consent, 'personId' | 'name'>;

function chosen(world: World, { personId, name }: Chosen): Person {
  const known = personId === undefined ? undefined : world.people.get(personId);
  return known ?? createPerson(world, { name }).person;
}

/** The authorization code of a consent, for the posting API's token endpoint. */
export function grant(world: World, { clientId, redirectUri, codeChallenge, scopes, ...who }: Consent): string {
  const code = secret(40);
  const userId = chosen(world, who).id;
  world.codes.put(code, { code, scopes, clientId, redirectUri, codeChallenge, userId, isUsed: false });
  return code;
}

/** The verifier of an authorised request token; undefined if the token is unknown or used. */
export function authorize(world: World, requestToken: string, who: Chosen): RequestToken | undefined {
  const asked = world.requestTokens.get(requestToken);
  if (!asked || asked.isUsed || asked.verifier) return undefined;
  const agreed = { ...asked, userId: chosen(world, who).id, verifier: secret() };
  world.requestTokens.put(requestToken, agreed);
  return agreed;
}

/** The callback URL with the verifier. */
export function callbackOf({ callback, token, verifier = '' }: RequestToken): string {
  const url = new URL(callback);
  url.searchParams.set('oauth_token', token);
  url.searchParams.set('oauth_verifier', verifier);
  return url.href;
}
