import { refreshExpiringTokens } from '../services/accounts/refresh-expiring-tokens.ts';
import type { Services } from '../services/context.ts';
import { repeating } from './interval.ts';

const batch = 100;

/** Refreshes tokens before they expire. Every process may check; one at a time refreshes an account. */
export function startRefreshTokens(
  services: Services,
  { refreshEveryMs }: { refreshEveryMs: number },
): { stop: () => Promise<void> } {
  const all = async (): Promise<void> => {
    while ((await refreshExpiringTokens(services, batch)) === batch);
  };
  return repeating(refreshEveryMs, all, services.log);
}
