import { randomBytes } from 'node:crypto';
import type { State } from '../state.ts';

export type TokenState = 'good' | 'expired' | 'invalid';

export interface Grant {
  personId: string;
  /** All scopes of the platform by default. */
  scopes?: string[];
  /** The app that it is issued to; tokens of the control API work for any app. */
  clientId?: string;
}

/** A stored token; `More` is what one platform keeps besides. */
export type Token<Kind extends string = string, More extends object = object> = Grant &
  More & {
    kind: Kind;
    scopes: string[];
    state: TokenState;
    /** In milliseconds; without it the token does not expire. */
    expiresAt?: number;
  };

export interface TokenKind {
  prefix: string | ((personId: string) => string);
  lifetimeSeconds?: number;
}

export interface Tokens<Kind extends string = string, More extends object = object> {
  issue: (kind: Kind, grant: Grant & More) => string;
  /** A known token of this kind, or of any, with its present state. */
  find: (token: string | undefined, kind?: Kind) => Token<Kind, More> | undefined;
  /** A valid token that works for this client. */
  findValid: (token: string | undefined, kind: Kind, clientId: string) => Token<Kind, More> | undefined;
  /** False for an unknown token. A restored token is valid for another lifetime. */
  turn: (token: string, state: TokenState) => boolean;
  /** Sets when a token ends; false for an unknown one. */
  endIn: (token: string, seconds: number) => boolean;
  lifetimeSeconds: (kind: Kind) => number;
  /** The response of a token endpoint as in RFC 6749, with a new token. */
  respond: (kind: Kind, grant: Grant & More, refreshToken?: string) => Record<string, unknown>;
}

export interface TokenOptions<Kind extends string> {
  collection: string;
  kinds: Record<Kind, TokenKind>;
  /** The scopes of the platform. */
  allScopes: string[];
}

/** The tokens of one platform. */
export function createTokens<Kind extends string, More extends object>(
  state: State,
  { collection, kinds, allScopes }: TokenOptions<Kind>,
): Tokens<Kind, More> {
  const tokens = state.collection<Token<Kind, More>>(collection);
  const expiryOf = (kind: Kind): number | undefined => {
    const { lifetimeSeconds } = kinds[kind];
    return lifetimeSeconds === undefined ? undefined : Date.now() + lifetimeSeconds * 1000;
  };
  const find: Tokens<Kind, More>['find'] = (token, kind) => {
    const known = token === undefined ? undefined : tokens.get(token);
    if (!known || (kind !== undefined && known.kind !== kind)) return undefined;
    const isOver = known.state === 'good' && known.expiresAt !== undefined && known.expiresAt <= Date.now();
    return isOver ? { ...known, state: 'expired' } : known;
  };
  const lifetimeSeconds = (kind: Kind): number => kinds[kind].lifetimeSeconds ?? 0;
  const issue: Tokens<Kind, More>['issue'] = (kind, grant) => {
    const { prefix } = kinds[kind];
    const start = typeof prefix === 'string' ? prefix : prefix(grant.personId);
    const token = `${start}${randomBytes(30).toString('hex')}`;
    const scopes = grant.scopes ?? allScopes;
    tokens.put(token, { ...grant, scopes, kind, state: 'good', expiresAt: expiryOf(kind) });
    return token;
  };
  return {
    find,
    issue,
    lifetimeSeconds,
    respond: (kind, grant, refreshToken) => ({
      access_token: issue(kind, grant),
      token_type: 'Bearer',
      expires_in: lifetimeSeconds(kind),
      ...(refreshToken !== undefined && { refresh_token: refreshToken }),
      scope: (grant.scopes ?? allScopes).join(' '),
    }),
    findValid(token, kind, clientId) {
      const known = find(token, kind);
      const isOwn = known?.clientId === undefined || known.clientId === clientId;
      return known?.state === 'good' && isOwn ? known : undefined;
    },
    turn(token, to) {
      const known = tokens.get(token);
      if (known) tokens.put(token, { ...known, state: to, ...(to === 'good' && { expiresAt: expiryOf(known.kind) }) });
      return known !== undefined;
    },
    endIn(token, seconds) {
      const known = tokens.get(token);
      if (known) tokens.put(token, { ...known, expiresAt: Date.now() + seconds * 1000 });
      return known !== undefined;
    },
  };
}
