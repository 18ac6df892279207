import type { Hono } from 'hono';
import type { FaultName } from './faults.ts';
import type { State } from './state.ts';

export interface Received {
  method: string;
  /** Below the platform's base path. */
  path: string;
  query: Record<string, string>;
  /** As it was written, for platforms whose punctuation there means something. */
  rawQuery: string;
  /** Parsed from JSON or from a form; empty when the body is neither. */
  body: Record<string, unknown>;
  /** The JSON as it came, lists included. */
  json?: unknown;
  /** The fields of a form as they were written, for signatures over them. */
  form: Record<string, string>;
  /** The body's own bytes, for uploads. */
  bytes: Buffer;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** The address in full without its query, as a signature sees it. */
  url: string;
  /** The first bytes of the file at the address that `fetches` names; undefined if it cannot be fetched. */
  fetched?: Buffer;
  /** From a bearer header, an `Access-Token` header, an OAuth header's `oauth_token` or an `access_token` parameter. */
  token: string | undefined;
}

export interface Reply {
  status: number;
  /** Sent as JSON; a string as it is, undefined as nothing. */
  body: unknown;
  headers?: Record<string, string>;
}

/** One simulated upstream. It answers as the real one would, or with one of its own error envelopes for a fault. */
export interface SimulatedPlatform {
  name: string;
  answer: (request: Received) => Reply | Promise<Reply>;
  /** The address of a file that the real platform fetches to carry out this request. */
  fetches?: (request: Received) => string | undefined;
  /** The envelope of a fault that has one (rate limits, tokens, policy). */
  failWith: (fault: FaultName, request: Received) => Reply;
  /** What a write makes (`campaigns`, `adsets`, `ads` ...) and how it is named there, so that a name such as `Sale [fault:http_500]` strikes. */
  making?: (request: Received) => { edge: string; name: string } | undefined;
  /** Who may give consent on the page, and the one-time code that the token address exchanges for one of them. */
  people?: () => ConsentPerson[];
  grant?: (consent: Consent) => string;
  /** Control addresses for tests and demo data. */
  control: Hono;
  /** What the page shows of it, newest first; with a total where the rows are not all. */
  holds: () => { kind: string; rows: Record<string, unknown>[]; total?: number }[];
}

export interface ConsentPerson {
  id: string;
  name: string;
  /** Distinguishes people of the same name. */
  about?: string;
}

export interface Consent {
  clientId: string;
  redirectUri: string;
  codeChallenge?: string;
  /** The scopes that were requested and left checked; all scopes of the platform by default. */
  scopes?: string[];
  /** One of `people`, else a new person of this name. */
  personId?: string;
  name: string;
}

export type MakePlatform = (state: State) => SimulatedPlatform;
