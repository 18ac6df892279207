import { VendorError } from './errors.ts';
import type { SandboxState } from './state.ts';

/** Counts accepted calls of an advertiser or of the whole app over the last second. */
export function createRate({ settings }: SandboxState): (advertiserId: string | undefined) => void {
  const calls = new Map<string, number[]>();
  return (advertiserId) => {
    const { perSecond, level } = settings;
    const who = level === 'app' ? 'app' : advertiserId;
    if (perSecond <= 0 || who === undefined) return;
    const now = Date.now();
    const lately = (calls.get(who) ?? []).filter((at) => at > now - 1000);
    calls.set(who, lately);
    if (lately.length >= perSecond) {
      throw level === 'app'
        ? new VendorError(40100, 'Too many requests. Please retry in some time.')
        : new VendorError(40133, 'Too many requests for this advertiser. Please retry in some time.');
    }
    lately.push(now);
  };
}
