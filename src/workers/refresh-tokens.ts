import { refreshExpiringTokens } from '../services/accounts/refresh-expiring-tokens.ts';
import type { Services } from '../services/context.ts';
import { repeating } from './interval.ts';

const batch = 100;

/** Renews tokens ahead of their end. Each process may look: one at a time renews an account. */
export function startRefreshTokens(
  services: Services,
  { refreshEveryMs }: { refreshEveryMs: number },
): { stop: () => Promise<void> } {
  const all = async (): Promise<void> => {
    while ((await refreshExpiringTokens(services, batch)) === batch);
  };
  return repeating(refreshEveryMs, all, services.log);
}
