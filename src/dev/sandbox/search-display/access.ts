import { refusal, scopeMissing } from './errors.ts';
import type { Customer, Person, SandboxState } from './state.ts';
import type { Received } from '../platform.ts';

const adsScope = 'https://www.googleapis.com/auth/adwords';

/** The user of a valid token. */
export function personOf(sandbox: SandboxState, token: string | undefined): Person {
  // The code of a call without a token is unconfirmed.
  if (!token) throw refusal('authenticationError.OAUTH_TOKEN_HEADER_INVALID', 401);
  const holder = sandbox.holderOf(token, 'access');
  if (!holder) throw refusal('authenticationError.OAUTH_TOKEN_INVALID', 401);
  if (holder.state === 'invalid') throw refusal('authenticationError.OAUTH_TOKEN_REVOKED', 401);
  if (holder.state === 'expired') throw refusal('authenticationError.OAUTH_TOKEN_EXPIRED', 401);
  if (!holder.scopes.includes(adsScope)) throw refusal(scopeMissing, 403);
  return holder.person;
}

export function requireDeveloperToken({ headers }: Received): void {
  if (!headers['developer-token']) throw refusal('requestError.DEVELOPER_TOKEN_PARAMETER_MISSING');
}

/** The account of the path, if the caller has access: directly, or through the manager in the header. */
export function customerOf(
  sandbox: SandboxState,
  person: Person,
  { id, login }: { id: string; login?: string },
): Customer {
  if (!/^\d+$/.test(id)) throw refusal('requestError.INVALID_CUSTOMER_ID', 400, { trigger: id });
  if (login !== undefined && !/^\d+$/.test(login)) throw refusal('headerError.INVALID_LOGIN_CUSTOMER_ID');
  const customer = sandbox.customers.get(id);
  if (!customer) throw refusal('authenticationError.CUSTOMER_NOT_FOUND', 401);
  const through = login ?? id;
  if (!person.customerIds.includes(through)) throw refusal('authorizationError.USER_PERMISSION_DENIED', 403);
  if (through !== id && customer.managerId !== through) {
    throw refusal('authorizationError.INVALID_LOGIN_CUSTOMER_ID_SERVING_CUSTOMER_ID_COMBINATION', 403);
  }
  if (customer.status !== 'ENABLED') throw refusal('authorizationError.CUSTOMER_NOT_ENABLED', 403);
  return customer;
}

/** Only directly accessible accounts. */
export function accessible(person: Person): { resourceNames: string[] } {
  if (person.customerIds.length === 0) throw refusal('authenticationError.NOT_ADS_USER', 401);
  return { resourceNames: person.customerIds.map((id) => `customers/${id}`) };
}
