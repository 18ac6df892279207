import { own } from '../lib/own.ts';
import type { ReportRow } from './report.ts';

export type BreakdownValue = NonNullable<ReportRow['breakdown']>[number];

const unknown = new Set(['', '-', '-1', 'none', 'unknown', 'unspecified', 'null', 'undefined']);

/** A value as the platform writes it, with our label; the platforms have several words for an unknown one. */
export function breakdownValue(raw: unknown, labels: Record<string, string> = {}): BreakdownValue {
  const value = typeof raw === 'string' || typeof raw === 'number' ? String(raw) : '';
  if (unknown.has(value.toLowerCase())) return { value: 'unknown', label: 'unknown' };
  return { value, label: own(labels, value.toLowerCase()) ?? value };
}
