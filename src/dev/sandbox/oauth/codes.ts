import { createHash, randomBytes } from 'node:crypto';
import type { Consent } from '../platform.ts';
import type { State } from '../state.ts';

interface Code {
  personId: string;
  scopes?: string[];
  clientId: string;
  redirectUri: string;
  codeChallenge?: string;
  issuedAt: number;
  isUsed: boolean;
}

export interface Redeeming {
  code: string;
  clientId: string;
  redirectUri?: string;
  verifier?: string;
}

export interface Redeemed {
  personId: string;
  scopes?: string[];
  clientId: string;
}

/** `code` stands for an unknown, used or expired code. */
export type CodeProblem = 'code' | 'client' | 'redirect' | 'verifier';

export interface CodeOptions {
  collection: string;
  prefix?: string;
  lifetimeSeconds?: number;
  /** Whether the platform compares the redirect URI and the PKCE verifier. */
  isBound?: boolean;
}

export interface Codes {
  issue: (consent: Consent, personId: string) => string;
  /** The consent of a code; codes are single-use and bound to their client and redirect URI. */
  redeem: (asked: Redeeming) => Redeemed | { problem: CodeProblem };
}

/** One-time codes of the consent page. */
export function createCodes(state: State, options: CodeOptions): Codes {
  const { collection, prefix = '', lifetimeSeconds = 600, isBound = true } = options;
  const codes = state.collection<Code>(collection);
  const problemOf = (known: Code | undefined, asked: Redeeming): CodeProblem | undefined => {
    if (!known || known.isUsed || known.issuedAt < Date.now() - lifetimeSeconds * 1000) return 'code';
    if (known.clientId !== asked.clientId) return 'client';
    if (!isBound) return undefined;
    if (known.redirectUri !== asked.redirectUri) return 'redirect';
    const isProven = known.codeChallenge === undefined || known.codeChallenge === challengeOf(asked.verifier ?? '');
    return isProven ? undefined : 'verifier';
  };
  return {
    issue({ clientId, redirectUri, codeChallenge, scopes }, personId) {
      const code = `${prefix}${randomBytes(24).toString('hex')}`;
      codes.put(code, { personId, scopes, clientId, redirectUri, codeChallenge, issuedAt: Date.now(), isUsed: false });
      return code;
    },
    redeem(asked) {
      const known = codes.get(asked.code);
      const problem = problemOf(known, asked);
      if (!known || problem) return { problem: problem ?? 'code' };
      codes.put(asked.code, { ...known, isUsed: true });
      return { personId: known.personId, scopes: known.scopes, clientId: known.clientId };
    },
  };
}

/** The S256 challenge of a verifier. */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');
