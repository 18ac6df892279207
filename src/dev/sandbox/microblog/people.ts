import { randomBytes } from 'node:crypto';
import type { Consent } from '../platform.ts';
import type { AdAccount, Person, RequestToken, Token, SandboxState } from './state.ts';

export const consumerKey = 'sandbox-consumer-key';
export const consumerSecret = 'sandbox-consumer-secret';

/** Lifetime of bearer tokens: two hours. */
export const bearerSeconds = 7_200;

export const secret = (length = 24): string => randomBytes(length).toString('base64url').replace(/[-_]/g, 'x');

/** Creates a user with an ad account per currency. */
export function createPerson(
  sandbox: SandboxState,
  { name, currencies = ['USD'] }: { name: string; currencies?: string[] },
): { person: Person; adAccounts: AdAccount[] } {
  const id = sandbox.newLongId();
  const handle = name.toLowerCase().replace(/\W+/g, '_').slice(0, 10);
  const person = { id, name, username: `${handle}_${Number(id.slice(-6)).toString(36)}`.slice(0, 15) };
  sandbox.people.put(id, person);
  return { person, adAccounts: currencies.map((currency) => createAccount(sandbox, person, currency)) };
}

/** Accounts start with one usable and one unusable funding instrument, and a promotable user limited to retweets. */
export function createAccount(sandbox: SandboxState, { id: userId, name }: Person, currency: string): AdAccount {
  const createdAt = new Date().toISOString();
  const account: AdAccount = {
    id: `18ce${sandbox.newId()}`,
    userId,
    name: `${name} ${currency}`,
    currency,
    timezone: 'America/Los_Angeles',
    createdAt,
    funding: [false, true].map((isAble) => ({ id: sandbox.newId(), currency, isAble, createdAt })),
    promotable: [
      { id: sandbox.newId(), userId: sandbox.newLongId(), type: 'RETWEETS_ONLY' },
      { id: sandbox.newId(), userId, type: 'FULL' },
    ],
    webEventTagId: sandbox.newId(),
    audiences: [true, false].map((isTargetable) => ({ id: sandbox.newId(), isTargetable })),
  };
  sandbox.accounts.put(account.id, account);
  return account;
}

export function issueSigning(sandbox: SandboxState, userId: string): { token: string; secret: string } {
  const pair = { token: `${userId}-${secret(30)}`, secret: secret(33) };
  sandbox.tokens.put(pair.token, { ...pair, kind: 'signing', userId, state: 'good' });
  return pair;
}

/** Issues a bearer token and a single-use refresh token. */
export function issueBearer(
  sandbox: SandboxState,
  { userId, clientId, scopes }: { userId: string; clientId?: string; scopes?: string[] },
): { accessToken: string; refreshToken: string } {
  const [accessToken, refreshToken] = [secret(60), secret(60)];
  const shared: Pick<Token, 'userId' | 'clientId' | 'scopes' | 'state'> = { userId, clientId, scopes, state: 'good' };
  const expiresAt = Date.now() + bearerSeconds * 1000;
  sandbox.tokens.put(accessToken, { ...shared, token: accessToken, kind: 'bearer', expiresAt });
  sandbox.tokens.put(refreshToken, { ...shared, token: refreshToken, kind: 'refresh' });
  return { accessToken, refreshToken };
}

type Chosen = Pick<Consent, 'personId' | 'name'>;

function chosen(sandbox: SandboxState, { personId, name }: Chosen): Person {
  const known = personId === undefined ? undefined : sandbox.people.get(personId);
  return known ?? createPerson(sandbox, { name }).person;
}

/** The authorization code of a consent, for the posting API's token endpoint. */
export function grant(
  sandbox: SandboxState,
  { clientId, redirectUri, codeChallenge, scopes, ...who }: Consent,
): string {
  const code = secret(40);
  const userId = chosen(sandbox, who).id;
  sandbox.codes.put(code, { code, scopes, clientId, redirectUri, codeChallenge, userId, isUsed: false });
  return code;
}

/** The verifier of an authorised request token; undefined if the token is unknown or used. */
export function authorize(sandbox: SandboxState, requestToken: string, who: Chosen): RequestToken | undefined {
  const asked = sandbox.requestTokens.get(requestToken);
  if (!asked || asked.isUsed || asked.verifier) return undefined;
  const agreed = { ...asked, userId: chosen(sandbox, who).id, verifier: secret() };
  sandbox.requestTokens.put(requestToken, agreed);
  return agreed;
}

/** The callback URL with the verifier. */
export function callbackOf({ callback, token, verifier = '' }: RequestToken): string {
  const url = new URL(callback);
  url.searchParams.set('oauth_token', token);
  url.searchParams.set('oauth_verifier', verifier);
  return url.href;
}
