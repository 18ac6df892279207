import type { Hono } from 'hono';
import type { FaultName } from './faults.ts';
import type { State } from './state.ts';

export interface Received {
  method: string;
  /** Below the platform's base path. */
  path: string;
  query: Record<string, string>;
  /** The raw query, for platforms with significant punctuation. */
  rawQuery: string;
  /** Parsed from JSON or a form; empty if the body is neither. */
  body: Record<string, unknown>;
  /** The parsed JSON, including lists. */
  json?: unknown;
  /** The raw form fields, for signatures. */
  form: Record<string, string>;
  /** The raw body, for uploads. */
  bytes: Buffer;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** The full URL without its query, for signatures. */
  url: string;
  /** The first bytes of the file that `fetches` names; undefined if it cannot be downloaded. */
  fetched?: Buffer;
  /** From a bearer header, an `Access-Token` header, an OAuth header's `oauth_token` or an `access_token` parameter. */
  token: string | undefined;
}

export interface Reply {
  status: number;
  /** Sent as JSON; a string and bytes are sent unchanged, undefined as an empty body. */
  body: unknown;
  headers?: Record<string, string>;
}

/** One simulated upstream. It responds like the real one, with its own error envelopes for injected faults. */
export interface SimulatedPlatform {
  name: string;
  answer: (request: Received) => Reply | Promise<Reply>;
  /** The URL that the real platform would download for this request. */
  fetches?: (request: Received) => string | undefined;
  /** The error response of an injected fault (rate limits, tokens, policy). */
  failWith: (fault: FaultName, request: Received) => Reply;
  /**
   * The kind (`campaigns`, `adsets`, `ads` ...) and name of the created object, so that a name such as `Sale
   * [fault:http_500]` applies.
   */
  making?: (request: Received) => { edge: string; name: string } | undefined;
  /** The users selectable on the consent page, and the authorization code of a consent. */
  people?: () => ConsentPerson[];
  grant?: (consent: Consent) => string;
  /** Control API for tests and demo data. */
  control: Hono;
  /** Rows shown on the page, newest first; with a total if they are not complete. */
  holds: () => { kind: string; rows: Record<string, unknown>[]; total?: number }[];
}

export interface ConsentPerson {
  id: string;
  name: string;
  /** Distinguishes users with the same name. */
  about?: string;
}

export interface Consent {
  clientId: string;
  redirectUri: string;
  codeChallenge?: string;
  /** The scopes that were requested and left checked; all scopes of the platform by default. */
  scopes?: string[];
  /** One of `people`, otherwise a new user with this name. */
  personId?: string;
  name: string;
}

export type MakePlatform = (state: State) => SimulatedPlatform;
