import type { Hono } from 'hono';
import type { FaultName } from './faults.ts';
import type { State } from './state.ts';

export interface Received {
  method: string;
  /** Below the platform's base path. */
  path: string;
  query: Record<string, string>;
  /** Parsed from JSON or from a form. */
  body: Record<string, unknown>;
  token: string | undefined;
}

export interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** One simulated upstream. It answers as the real one would, or with one of its own error envelopes for a fault. */
export interface SimulatedPlatform {
  name: string;
  answer: (request: Received) => Reply;
  /** The envelope of a fault that has one (rate limits, tokens, policy). */
  failWith: (fault: FaultName, request: Received) => Reply;
  /** Control addresses for tests and demo data. */
  control: Hono;
  /** What the page shows of it, newest first. */
  holds: () => { kind: string; rows: Record<string, unknown>[] }[];
}

export type MakePlatform = (state: State) => SimulatedPlatform;
