import { randomBytes } from 'node:crypto';
import type { AdAccount, Person, RequestToken, SandboxState } from './state.ts';

export const consumerKey = 'sandbox-consumer-key';
export const consumerSecret = 'sandbox-consumer-secret';

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

/** Issues an OAuth 1.0a token pair. */
export function issueSigning({ tokens }: SandboxState, personId: string): { token: string; secret: string } {
  const pairSecret = secret(33);
  return { token: tokens.issue('signing', { personId, secret: pairSecret }), secret: pairSecret };
}

/** The verifier of an authorised request token; undefined if the token is unknown or used. */
export function authorize(
  sandbox: SandboxState,
  requestToken: string,
  userIdOf: () => string,
): RequestToken | undefined {
  const asked = sandbox.requestTokens.get(requestToken);
  if (!asked || asked.isUsed || asked.verifier) return undefined;
  const agreed = { ...asked, userId: userIdOf(), verifier: secret() };
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
