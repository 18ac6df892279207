import type { Limits, Slot } from '../../lib/platform-limits.ts';
import { PlatformError } from '../error.ts';

export interface CallRates {
  clientId?: string;
  /** Calls per second of one advertiser. */
  callsPerSecond?: number;
  /** Calls per second of the developer app; the platform permits 10, and 600 a minute, at its basic level. */
  appCallsPerSecond?: number;
  /** How long the app makes no call after the platform limited it. */
  suspensionSeconds?: number;
}

export interface PacedCall {
  path: string;
  advertiserId?: unknown;
}

export const defaultRate = 5;
const defaultAppRate = 8;
const defaultSuspension = 300;
const longestWaitMs = 20_000;

/** The platform permits 5 calls of ad/create a second and 150 a minute, at higher levels a fifth of all calls. */
const adsRate = (appRate: number): number => Math.min(5, Math.max(2, appRate / 5));

function slotsOf(
  { path, advertiserId }: PacedCall,
  { clientId = '', callsPerSecond = defaultRate, appCallsPerSecond = defaultAppRate }: CallRates,
): Slot[] {
  const app = appKey(clientId);
  return [
    ...(typeof advertiserId === 'string' ? [{ key: `D:${advertiserId}`, perSecond: callsPerSecond }] : []),
    ...(path === 'ad/create' ? [{ key: `${app}:${path}`, perSecond: adsRate(appCallsPerSecond) }] : []),
    { key: app, perSecond: appCallsPerSecond, maxMs: longestWaitMs },
  ];
}

const appKey = (clientId: string): string => `D:app:${clientId}`;

const maxAttempts = 6;
const isRateLimit = (error: unknown): error is PlatformError =>
  error instanceof PlatformError && error.fault === 'rate_limited';
/** A limit per second of one advertiser; the limits of the app recover later. */
const isBrief = ({ upstream }: PlatformError): boolean => upstream.retryAfterSeconds === 1;

/** Runs a call within the limits of its advertiser and of the app, over all processes. */
export type Paced = <T>(call: PacedCall, ask: () => Promise<T>) => Promise<T>;

export function pacing(limits: Limits, rates: CallRates): Paced {
  const { clientId = '', callsPerSecond = defaultRate, suspensionSeconds = defaultSuspension } = rates;
  return async (call, ask) => {
    for (let tries = 1; ; tries += 1) {
      const waitMs = await limits.throttle(slotsOf(call, rates));
      if (waitMs > 0) throw suspended(waitMs);
      try {
        return await ask();
      } catch (error) {
        if (!isRateLimit(error)) throw error;
        if (!isBrief(error)) {
          await limits.block(appKey(clientId), suspensionSeconds * 1000);
          throw error;
        }
        if (tries === maxAttempts || typeof call.advertiserId !== 'string') throw error;
        // Retry once on a rate-limit error; if it persists, pause every caller of this advertiser.
        if (tries > 2)
          await limits.block(`D:${call.advertiserId}`, Math.min(1000, (1000 / callsPerSecond) * 2 ** tries));
      }
    }
  };
}

const suspended = (waitMs: number): PlatformError =>
  new PlatformError(
    'D',
    'rate_limited',
    'The platform limits the calls of the developer app; no call is made meanwhile',
    {
      retryAfterSeconds: Math.ceil(waitMs / 1000),
    },
  );
