import type { AdPlatform } from '../../contract/platforms.ts';
import { figureMonthsOf, type Retention } from '../../lib/retention.ts';
import { monthsBefore } from '../../lib/calendar-days.ts';

export interface Stores {
  retention: Retention;
}

const dayMs = 86_400_000;

/** The first day whose figures are stored. */
export const firstStoredDay = ({ retention }: Stores, platform: AdPlatform, today: string): string =>
  monthsBefore(today, figureMonthsOf(retention, platform));

/** When the figures of a month are removed: a while after no report shows them, whatever the time zone. */
export function figuresExpireAt({ retention }: Stores, { platform }: { platform: AdPlatform }, month: string): Date {
  const end = monthsBefore(`${month}-01`, -(figureMonthsOf(retention, platform) + 1));
  return new Date(Date.parse(end) + 2 * dayMs);
}

/** Coverage ends first: days without figures would count as days without delivery. */
export const coverageExpireAt = (stores: Stores, target: { platform: AdPlatform }, month: string): Date =>
  new Date(figuresExpireAt(stores, target, month).getTime() - dayMs);
