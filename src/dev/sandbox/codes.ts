import { createHash, randomBytes } from 'node:crypto';
import type { Consent } from './platform.ts';
import type { State } from './state.ts';

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
  redirectUri: string;
  verifier?: string;
}

export interface Redeemed {
  personId: string;
  scopes?: string[];
}

export interface Codes {
  issue: (consent: Consent, personId: string) => string;
  /** The consent of a code; codes are single-use and bound to their client and redirect URI. */
  redeem: (asked: Redeeming) => Redeemed | { problem: 'code' | 'redirect' | 'verifier' };
}

const lifetime = 10 * 60_000;

/** One-time codes of the consent page. */
export function createCodes(state: State, collection: string): Codes {
  const codes = state.collection<Code>(collection);
  return {
    issue({ clientId, redirectUri, codeChallenge, scopes }, personId) {
      const code = randomBytes(24).toString('base64url');
      codes.put(code, { personId, scopes, clientId, redirectUri, codeChallenge, issuedAt: Date.now(), isUsed: false });
      return code;
    },
    redeem({ code, clientId, redirectUri, verifier }) {
      const known = codes.get(code);
      if (!known || known.isUsed || known.clientId !== clientId || known.issuedAt < Date.now() - lifetime)
        return { problem: 'code' };
      if (known.redirectUri !== redirectUri) return { problem: 'redirect' };
      if (known.codeChallenge !== undefined && known.codeChallenge !== challengeOf(verifier ?? ''))
        return { problem: 'verifier' };
      codes.put(code, { ...known, isUsed: true });
      return { personId: known.personId, scopes: known.scopes };
    },
  };
}

/** The S256 challenge of a verifier. */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');
