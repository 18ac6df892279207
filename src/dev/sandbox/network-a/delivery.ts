import type { FiguresStore } from '../figures/store.ts';
import { hasStarted } from '../started.ts';
import { timeOf } from './checks.ts';
import type { GraphObject } from './state.ts';

const dayMs = 86_400_000;

/** Records whether an object delivers by its own status, times and budget. */
export function recordDelivery(
  figures: FiguresStore,
  { id, kind, fields, createdAt }: GraphObject,
  { minorUnits, from }: { minorUnits: number; from: number },
): void {
  if (!/^(campaign|adset|ad)$/.test(kind)) return;
  const isReviewed = kind !== 'ad' || !/\[review:(pending|rejected)\]/.test(String(fields['name']));
  const start = timeOf(fields['start_time']);
  const end = timeOf(fields['end_time']) ?? timeOf(fields['stop_time']);
  const [daily, lifetime] = ['daily_budget', 'lifetime_budget'].map((name) => Number(fields[name] ?? 0));
  const days = Math.max(1, Math.ceil(((end ?? 0) - (start ?? Date.parse(createdAt))) / dayMs));
  const budget = daily || (lifetime ?? 0) / days;
  figures.record(id, {
    isOn: fields['status'] === 'ACTIVE' && isReviewed,
    from: start !== undefined && !hasStarted(start) ? start : from,
    ...(end !== undefined && { until: end }),
    ...(budget > 0 && { dailyBudget: Math.floor((budget * 1_000_000) / minorUnits) }),
  });
}
