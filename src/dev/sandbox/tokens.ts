import { randomBytes } from 'node:crypto';
import type { State } from './state.ts';

export type TokenState = 'good' | 'expired' | 'invalid';

interface Token {
  personId: string;
  /** All scopes of the platform by default. */
  scopes?: string[];
  kind: 'access' | 'refresh';
  state: TokenState;
  /** In milliseconds; refresh tokens have none. */
  expiresAt?: number;
}

interface Holder {
  personId: string;
  scopes?: string[];
}

export interface Tokens {
  access: (personId: string, scopes?: string[]) => string;
  refresh: (personId: string, scopes?: string[]) => string;
  /** The holder of an access token, and whether it is valid. */
  holder: (token: string) => (Holder & { state: TokenState }) | undefined;
  /** The holder of a valid refresh token. */
  refreshes: (token: string) => Holder | undefined;
  /** False for an unknown token. */
  turn: (token: string, state: TokenState) => boolean;
}

interface TokenOptions {
  collection: string;
  /** Lifetime of access tokens in seconds. */
  lifetime: number;
  prefix: { access: string; refresh: string };
}

/** Access and refresh tokens of one platform. */
export function createTokens(state: State, { collection, lifetime, prefix }: TokenOptions): Tokens {
  const tokens = state.collection<Token>(collection);
  const add = (text: string, token: Token): string => {
    tokens.put(text, token);
    return text;
  };
  const secret = (): string => randomBytes(30).toString('base64url');
  return {
    access: (personId, scopes) =>
      add(`${prefix.access}${secret()}`, {
        personId,
        scopes,
        kind: 'access',
        state: 'good',
        expiresAt: Date.now() + lifetime * 1000,
      }),
    refresh: (personId, scopes) =>
      add(`${prefix.refresh}${secret()}`, { personId, scopes, kind: 'refresh', state: 'good' }),
    holder(token) {
      const known = tokens.get(token);
      if (known?.kind !== 'access') return undefined;
      const isOver = known.state === 'good' && (known.expiresAt ?? 0) <= Date.now();
      return { personId: known.personId, scopes: known.scopes, state: isOver ? 'expired' : known.state };
    },
    refreshes(token) {
      const known = tokens.get(token);
      return known?.kind === 'refresh' && known.state === 'good'
        ? { personId: known.personId, scopes: known.scopes }
        : undefined;
    },
    turn(token, to) {
      const known = tokens.get(token);
      if (known)
        tokens.put(token, {
          ...known,
          state: to,
          ...(to === 'good' && known.expiresAt && { expiresAt: Date.now() + lifetime * 1000 }),
        });
      return known !== undefined;
    },
  };
}
