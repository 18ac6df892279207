import type { AccountHealth, GetAccountInput } from '../../contract/account.ts';
import { accountKinds } from '../../contract/platforms.ts';
import type { AccountDoc } from '../../models/account.ts';
import { requireAccount } from '../access.ts';
import { noticeDays } from './publish-expiring-tokens.ts';
import { renewsItself } from './renews-itself.ts';
import { closedBecause } from './list-ad-accounts.ts';
import type { Ctx } from '../context.ts';
import { storedDates } from '../stored-dates.ts';
import { missingScopes, reconnectAction } from './scopes.ts';

const { instantOrNull, time } = storedDates('accounts');

type Issue = AccountHealth['issues'][number];

const soonMs = Math.max(...noticeDays) * 86_400_000;

/** Connection health from stored data: status, cause and suggested action; makes no platform call. */
export const accountHealth = async (ctx: Ctx, { accountId }: GetAccountInput): Promise<AccountHealth> =>
  toHealth(ctx, await requireAccount(ctx, accountId));

export function toHealth(ctx: Ctx, account: AccountDoc): AccountHealth {
  const issues = issuesOf(ctx, account);
  return {
    accountId: account._id,
    platform: account.platform,
    status: statusOf(account, issues),
    issues,
    tokenExpiresAt: instantOrNull(account, 'tokenExpiresAt'),
    renewsItself: renewsItself(ctx, account),
    lastRefreshedAt: instantOrNull(account, 'refreshedAt'),
    scopes: account.scopes,
    needsReconnect: account.needsReconnect,
    adsConnected: account.adsConnected,
  };
}

function statusOf({ needsReconnect }: AccountDoc, issues: Issue[]): AccountHealth['status'] {
  if (needsReconnect || issues.some(({ code }) => code === 'token_expired')) return 'broken';
  return issues.length > 0 ? 'attention' : 'healthy';
}

function issuesOf(ctx: Ctx, account: AccountDoc): Issue[] {
  const { platform, profileId } = account;
  const again = `Connect it again: GET /v1/connect/${platform}?profileId=${profileId}&accountId=${account._id}`;
  return [
    ...tokenIssues(ctx, account, again),
    ...scopeIssues(ctx, account),
    ...setUpIssues(ctx, account),
    ...suspendedIssues(account),
  ];
}

function tokenIssues(ctx: Ctx, account: AccountDoc, again: string): Issue[] {
  const { needsReconnect, lastRefreshError } = account;
  const endsAt = time(account, 'tokenExpiresAt') ?? Number.POSITIVE_INFINITY;
  if (needsReconnect) {
    const message = 'The platform no longer accepts the connection: it was revoked there or has ended';
    return [{ code: 'token_expired', message, action: again }];
  }
  const left = endsAt - ctx.clock.now().getTime();
  if (!renewsItself(ctx, account)) {
    if (left <= 0) return [{ code: 'token_expired', message: 'The token has expired', action: again }];
    if (left > soonMs) return [];
    const message = `The token ends at ${instantOrNull(account, 'tokenExpiresAt')} and cannot be refreshed automatically`;
    return [{ code: 'token_expiring', message, action: again }];
  }
  if (lastRefreshError === null) return [];
  const action = 'No action needed yet: the refresh is retried every few minutes';
  return [{ code: 'refresh_failing', message: `The last renewal failed: ${lastRefreshError}`, action }];
}

function scopeIssues(ctx: Ctx, account: AccountDoc): Issue[] {
  const scopes = missingScopes(ctx, account);
  if (scopes.length === 0) return [];
  const message = `The person did not grant ${scopes.join(', ')}: calls that need it are rejected`;
  return [{ code: 'missing_permissions', message, action: reconnectAction(account), details: { scopes } }];
}

function setUpIssues({ connectors }: Ctx, account: AccountDoc): Issue[] {
  const { platform, adsConnected, selectedLocationId } = account;
  if (accountKinds[platform]?.hasListings && selectedLocationId === null) {
    const action = `Choose one: PUT /v1/accounts/${account._id}/listing-locations, or name one with each call`;
    return [{ code: 'location_not_selected', message: 'No location is selected', action }];
  }
  if (!connectors[platform]?.ads || adsConnected) return [];
  const action = `To make ads, connect them: GET /v1/connect/${platform}/ads?accountId=${account._id}`;
  return [{ code: 'ads_not_connected', message: 'The ads of this account are not connected', action }];
}

/** Statuses of ad accounts that their owner closed or has not opened yet. */
const isClosedByOwner = (status = ''): boolean => /^(CLOSED|ANY_CLOSED|PENDING_CLOSURE|CANCELED|DRAFT)$/.test(status);

function suspendedIssues({ adAccounts }: AccountDoc): Issue[] {
  const suspended = adAccounts.filter(({ isActive, status }) => !isActive && !isClosedByOwner(status));
  return suspended.map(({ id, name, ...state }) => ({
    code: 'ad_account_suspended',
    message: `${name} (${id}): ${closedBecause(state)}`,
    action: 'Resolve it on the platform, then refresh the list: GET /v1/ads/accounts?refresh=true',
  }));
}
