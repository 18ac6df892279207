import { daysBetween, fromAccountTime } from '../../../lib/account-time.ts';
import type { FiguresStore } from '../figures/store.ts';
import type { Fields } from './shapes.ts';
import type { Customer, Resource } from './state.ts';

const secondMs = 1000;

/** Records whether a campaign, ad group or ad delivers by its own status, times and budget. */
export function recordDelivery(
  figures: FiguresStore,
  { name, kind, fields }: Resource,
  { customer, budget }: { customer: Customer | undefined; budget: Fields | undefined },
): void {
  if (!/^(campaigns|adGroups|adGroupAds)$/.test(kind)) return;
  const at = (field: string): number | undefined =>
    typeof fields[field] === 'string' ? fromAccountTime(fields[field], customer?.timeZone)?.getTime() : undefined;
  const [start, end] = [at('startDateTime'), at('endDateTime')];
  const now = figures.now();
  const dailyBudget = dailyOf(budget, { start: start ?? now, end, timeZone: customer?.timeZone });
  figures.record(name, {
    isOn: fields['status'] === 'ENABLED',
    from: Math.max(now, start ?? now),
    ...(end !== undefined && { until: end + secondMs }),
    ...(dailyBudget !== undefined && { dailyBudget }),
  });
}

function dailyOf(
  budget: Fields | undefined,
  { start, end, timeZone }: { start: number; end?: number; timeZone?: string },
): number | undefined {
  const [daily, total] = [Number(budget?.['amountMicros'] ?? 0), Number(budget?.['totalAmountMicros'] ?? 0)];
  if (daily > 0) return daily;
  if (total === 0 || end === undefined) return undefined;
  return Math.floor(total / daysBetween(new Date(start), new Date(end), timeZone));
}
