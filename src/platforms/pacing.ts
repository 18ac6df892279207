import type { Limits, Slot } from '../lib/platform-limits.ts';
import { PlatformError } from './error.ts';

/** A limit that ends within this time is waited for; the caller gets 429 for a longer one. */
const longestWaitMs = 2_500;
/** A process that was suspended for longer may no longer hold the lease of the write that it is about to send. */
const longestStallMs = 5_000;

export interface Paced {
  limits: Limits;
  platform: string;
  /** The limits that the call counts against. */
  keys: string[];
}

/** Waits until the platform accepts a call again, or rejects it unsent with the platform's own waiting time. */
export async function awaitLimits({ limits, platform, keys }: Paced): Promise<void> {
  const began = performance.now();
  const waitMs = await limits.throttle(keys.map((key): Slot => ({ key, maxMs: longestWaitMs })));
  const stalledMs = performance.now() - began;
  if (waitMs > 0 || stalledMs > longestStallMs)
    throw limited(platform, 'The platform has limited the calls; none is sent until the limit ends', waitMs);
}

export const limited = (platform: string, message: string, waitMs: number): PlatformError =>
  new PlatformError(platform, 'rate_limited', message, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) });
