import { invalidRequest, PinError } from './errors.ts';
import { pageOf, type Page } from './lists.ts';
import { interests, targetingOptions } from './places.ts';
import type { AdAccount, Fields, Person, SandboxState } from './state.ts';

export const showAccount = (sandbox: SandboxState, person: Person, account: AdAccount): Fields => ({
  id: account.id,
  name: account.name,
  owner: { username: sandbox.people.get(account.ownerId)?.username, id: account.ownerId },
  country: account.country,
  currency: account.currency,
  permissions: [account.ownerId === person.id ? 'OWNER' : 'CAMPAIGN_MANAGER'],
  created_time: account.createdAt,
  updated_time: account.createdAt,
});

/** A user's ad accounts, including shared ones unless excluded. */
export function listAccounts(sandbox: SandboxState, person: Person, query: Record<string, string>): Page {
  const isAll = query['include_shared_accounts'] !== 'false';
  return pageOf(sandbox.accounts.under(person.id), query, (id) => {
    const account = sandbox.accounts.get(id);
    return account && (isAll || account.ownerId === person.id) ? showAccount(sandbox, person, account) : undefined;
  });
}

export const showPerson = (sandbox: SandboxState, person: Person): Fields => ({
  id: person.id,
  account_type: 'BUSINESS',
  username: person.username,
  business_name: person.name,
  about: '',
  profile_image: 'https://sandbox.invalid/profile.png',
  website_url: '',
  board_count: sandbox.boards.under(person.id).length,
  pin_count: sandbox.pins.under(person.id).length,
  follower_count: 10,
  following_count: 3,
  monthly_views: 163,
});

export function targeting(type: string, id?: string): unknown {
  if (type === 'interests' && id !== undefined) {
    const interest = interests[id];
    if (!interest) throw new PinError(404, 404, 'Interest not found.');
    return { id, name: interest.name, level: interest.level, child_interests: interest.children };
  }
  const options = targetingOptions[type];
  if (!options) throw invalidRequest(`'targeting_type' must be one of ${Object.keys(targetingOptions).join(', ')}`);
  return [options];
}

export const showTag = ({ tagId: id, id: accountId, name }: AdAccount): Fields => ({
  id,
  ad_account_id: accountId,
  name: `${name} tag`,
  status: 'ACTIVE',
  version: '3',
});

export const listAudiences = ({ id: accountId, audiences }: AdAccount, query: Record<string, string>): Page =>
  pageOf(
    audiences.map(({ id }) => id),
    query,
    (id) => {
      const audience = audiences.find((known) => known.id === id);
      if (!audience) return undefined;
      const { name, size } = audience;
      const status = size < 100 ? 'TOO_SMALL' : 'READY';
      return { id, ad_account_id: accountId, name, size, status, audience_type: 'CUSTOMER_LIST', type: 'audience' };
    },
  );
