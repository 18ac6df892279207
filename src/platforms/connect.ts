import type { AccountPlatform } from '../contract/platforms.ts';
import { systemClock } from '../lib/clock.ts';
import type { Access, FreshToken } from './platform.ts';
import type { ScopeTable } from './scopes.ts';

export type { ScopeUse } from './scopes.ts';

/** Parameters of a consent URL. */
export interface Asking {
  redirectUri: string;
  state: string;
  codeChallenge?: string;
  /** The user that the platform preselects on reconnection. */
  loginHint?: string;
}

export interface Redeeming {
  code: string;
  redirectUri: string;
  codeVerifier?: string;
}

/** The tokens that a completed consent returns. */
export interface Grant extends FreshToken {
  /** ID token claims, if the token endpoint returns them. */
  claims?: Record<string, unknown>;
}

/** The platform identity of a connection. */
export interface Identity {
  platformAccountId: string;
  username: string;
  displayName: string;
  profilePicture?: string;
  /** The only location; if there are several, the user selects one. */
  selectedLocationId?: string;
}

/** A page or public profile that the user may connect. */
export interface Choice extends Identity {
  /** The page or profile id, if the account is a separate object attached to it. */
  pageId?: string;
  pageName?: string;
  photoAccountId?: string;
  photoUsername?: string;
  category?: string;
  subscriberCount?: number;
  /** The choice's own token; defaults to the user's. */
  token?: string;
}

export interface Choices {
  offered: Choice[];
  /** Pages or organizations that the user can see but lacks the role to act for. */
  refused: { id: string; name: string }[];
}

/** The separate ads connection of platforms that authorise posting and advertising separately. */
export interface AdsConnector {
  begin: (asking: Asking) => Promise<{ authUrl: string; secret?: string }>;
  /** Handles the callback parameters and the state saved by `begin`. */
  finish: (answer: { params: Record<string, string>; redirectUri: string; secret?: string }) => Promise<AdsGrant>;
}

export interface AdsGrant {
  token: string;
  tokenSecret?: string;
  /** The granted scopes, if the platform reports them. */
  scopes?: string[];
  /** Platform id of the user; an account's ads connection must belong to the same user. */
  platformAccountId: string;
}

/** Connection flow of one kind of account. Every failure is a PlatformError. */
export interface Connector {
  /** Scopes that it requests and scopes that each use requires. */
  readonly scopes: ScopeTable;
  /** False if no app is configured for the platform. */
  readonly isReady: boolean;
  /** The platform supports PKCE. */
  readonly usesChallenge: boolean;
  authorizeUrl: (asking: Asking) => string;
  exchange: (redeeming: Redeeming) => Promise<Grant>;
  /** Exchanges a caller-supplied token for the long-lived one to store. */
  prolong?: (token: string) => Promise<Grant>;
  identify: (grant: Grant) => Promise<Identity>;
  /** All pages or profiles that the user can connect; never a partial list. */
  choices?: (grant: Grant) => Promise<Choices>;
  /** Refreshes the token; fault `auth_expired` if the platform rejects the refresh token. */
  refresh?: (refreshToken: string) => Promise<FreshToken>;
  /** Revokes the connection on the platform. */
  revoke?: (tokens: { token: string; refreshToken?: string; adsToken?: string }) => Promise<void>;
  ads?: AdsConnector;
}

export type Connectors = Partial<Record<AccountPlatform, Connector>>;

/** Access for adapter calls made before an account exists. */
export const accessWith = (accountPlatform: AccountPlatform, token: string): Access => ({
  accountPlatform,
  token,
  platformAccountId: '',
  displayName: '',
  platformState: {},
  keep: () => Promise.resolve(),
  clock: systemClock,
});
