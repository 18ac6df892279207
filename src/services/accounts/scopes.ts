import { AppError } from '../../contract/error.ts';
import { adPlatformOf, type AccountPlatform } from '../../contract/platforms.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { ScopeUse } from '../../platforms/connect.ts';
import type { Services } from '../context.ts';

type Connectors = Pick<Services, 'connectors'>;
type Grants = Pick<AccountDoc, 'platform' | 'scopes' | 'adsScopes'>;

/** The scopes that a use requires and that were not granted. Unknown scopes count as granted: the platform decides. */
function lacking(
  { connectors }: Connectors,
  platform: AccountPlatform,
  use: ScopeUse,
  granted: string[] | null | undefined,
): string[] {
  // Older records hold an empty list, or none, where the platform named none.
  if (!granted?.length) return [];
  const entries = connectors[platform]?.scopes.needs[use] ?? [];
  return entries.filter((anyOf) => !anyOf.some((scope) => granted.includes(scope))).flatMap(([scope = '']) => scope);
}

/** If ads are authorised separately, ads calls use the scopes of that authorisation. */
const grantedFor = ({ connectors }: Connectors, account: Grants, use: ScopeUse): string[] | null =>
  connectors[account.platform]?.ads && use !== 'connect' ? account.adsScopes : account.scopes;

const uses: ScopeUse[] = ['connect', 'readAds', 'readFigures', 'changeAds', 'createAds', 'editListing'];

/** By platform and granted scopes, of which there are few. */
const missing = new WeakMap<Services['connectors'], Map<string, string[]>>();
const maxMissing = 1_000;

/** All scopes that calls for this account require and the person did not grant. */
export function missingScopes(services: Connectors, account: Grants): string[] {
  if (!account.scopes?.length && !account.adsScopes?.length) return [];
  let known = missing.get(services.connectors);
  if (!known || known.size > maxMissing) missing.set(services.connectors, (known = new Map()));
  const grants = `${account.platform} ${account.scopes?.join('\0')} ${account.adsScopes?.join('\0')}`;
  let found = known.get(grants);
  if (!found) {
    found = [
      ...new Set(uses.flatMap((use) => lacking(services, account.platform, use, grantedFor(services, account, use)))),
    ];
    known.set(grants, found);
  }
  return found;
}

/** Throws, before the platform is called, if a required scope was not granted. */
export function requireScopes(services: Connectors, account: AccountDoc, use: ScopeUse): void {
  const scopes = lacking(services, account.platform, use, grantedFor(services, account, use));
  if (scopes.length > 0) throw missingPermission(account.platform, scopes, account);
}

/** Throws if a new consent did not grant the scopes that connecting requires. */
export function requireGranted(services: Connectors, platform: AccountPlatform, granted: string[] | undefined): void {
  const scopes = lacking(services, platform, 'connect', granted ?? null);
  if (scopes.length > 0) throw missingPermission(platform, scopes);
}

/** How a person grants the missing scopes. */
export const reconnectAction = ({ platform, profileId, _id }: AccountDoc): string =>
  `Connect it again and grant all permissions: GET /v1/connect/${platform}?profileId=${profileId}&accountId=${_id}`;

function missingPermission(platform: AccountPlatform, scopes: string[], account?: AccountDoc): AppError {
  const action = account ? reconnectAction(account) : 'Connect it again and grant all permissions';
  const message = `The person did not grant ${scopes.join(', ')}. ${action}`;
  return new AppError('missing_platform_permission', message, {
    platform: adPlatformOf(platform) ?? platform,
    details: { scopes, reconnect: true },
  });
}
