import type { AccountPlatform } from '../contract/platforms.ts';
import { systemClock } from '../lib/clock.ts';
import type { Access, FreshToken } from './platform.ts';
import type { ScopeTable } from './scopes.ts';

export type { ScopeUse } from './scopes.ts';

/** What a person is asked for, and where they come back to. */
export interface Asking {
  redirectUri: string;
  state: string;
  codeChallenge?: string;
  /** The person that the platform preselects when an account is reconnected. */
  loginHint?: string;
}

export interface Redeeming {
  code: string;
  redirectUri: string;
  codeVerifier?: string;
}

/** What a person gave. */
export interface Grant extends FreshToken {
  /** Who it was, where the token address says so itself. */
  claims?: Record<string, unknown>;
}

/** Who a connection is at the platform. */
export interface Identity {
  platformAccountId: string;
  username: string;
  displayName: string;
  profilePicture?: string;
  /** The one location that there is; of several a person chooses. */
  selectedLocationId?: string;
}

/** A page or public profile that a person may connect as. */
export interface Choice extends Identity {
  /** The page or profile itself, where the account is another thing that hangs on it. */
  pageId?: string;
  pageName?: string;
  photoAccountId?: string;
  photoUsername?: string;
  category?: string;
  subscriberCount?: number;
  /** The choice's own token; without it the person's serves. */
  token?: string;
}

export interface Choices {
  offered: Choice[];
  /** Those that the person may see but not speak for. */
  refused: { id: string; name: string }[];
}

/** The ads connection of its own, on platforms that part posting from advertising. */
export interface AdsConnector {
  begin: (asking: Asking) => Promise<{ authUrl: string; secret?: string }>;
  /** Takes what the browser brought back, and what `begin` kept. */
  finish: (answer: { params: Record<string, string>; redirectUri: string; secret?: string }) => Promise<AdsGrant>;
}

export interface AdsGrant {
  token: string;
  tokenSecret?: string;
  /** The granted scopes, if the platform reports them. */
  scopes?: string[];
  /** Whose it is; the ads of an account are connected by the same person. */
  platformAccountId: string;
}

/** How accounts of one kind are connected. Every failure is a PlatformError. */
export interface Connector {
  /** Scopes that it requests, and those that each use requires. */
  readonly scopes: ScopeTable;
  /** False where this installation has no app at the platform. */
  readonly isReady: boolean;
  /** The platform holds a code to the one who asked for it. */
  readonly usesChallenge: boolean;
  authorizeUrl: (asking: Asking) => string;
  exchange: (redeeming: Redeeming) => Promise<Grant>;
  /** What is stored in place of a token that a caller brings. */
  prolong?: (token: string) => Promise<Grant>;
  identify: (grant: Grant) => Promise<Identity>;
  /** Where a person connects as one of several things, all of them; the list is never cut short. */
  choices?: (grant: Grant) => Promise<Choices>;
  /** Renews the connection; fault `auth_expired` when the platform surely no longer takes it. */
  refresh?: (refreshToken: string) => Promise<FreshToken>;
  /** Ends the connection at the platform. */
  revoke?: (tokens: { token: string; refreshToken?: string; adsToken?: string }) => Promise<void>;
  ads?: AdsConnector;
}

export type Connectors = Partial<Record<AccountPlatform, Connector>>;

/** What an adapter's own calls need while there is no account yet. */
export const accessWith = (accountPlatform: AccountPlatform, token: string): Access => ({
  accountPlatform,
  token,
  platformAccountId: '',
  displayName: '',
  kept: {},
  keep: () => Promise.resolve(),
  clock: systemClock,
});
