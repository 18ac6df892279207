import { z } from 'zod';
import type { Breakdown, ConversionEvent, CountedMetric, ReportLevel } from '../../contract/reporting/metrics.ts';
import { breakdownValue } from '../breakdown-value.ts';
import { millionths } from '../decimal.ts';
import { PlatformError } from '../error.ts';
import type { Figures, ReportQuery, ReportRow } from '../report.ts';
import { PlatformId } from '../tolerant.ts';
import { columns, eventColumns, idColumns, uniqueColumns } from './figure-columns.ts';

/** Numbers in millionths of what the platform counts. */
const Value = z
  .union([z.string(), z.number()])
  .transform(String)
  .pipe(z.string().regex(/^-?\d+(\.\d+)?$/, 'must be a number'))
  .transform((text) => millionths(text) ?? 0n);

type Row = Record<string, unknown>;
const Row = z.record(z.string(), z.unknown());
/** The platform answers with rows, or with rows by value of a breakdown. */
export const Rows = z.array(Row);
export const TargetingRows = z.object({
  data: z.array(z.object({ targeting_type: z.string(), targeting_value: z.unknown(), metrics: Row })),
});
/** The file of a report: rows by the id of their object. */
export const ReportFile = z.record(z.string(), Rows);

const million = 1_000_000n;
const wholes = new Set<CountedMetric>(['purchases', 'leads']);
const figureColumns = [...Object.values(columns).flat(), ...Object.values(eventColumns)];

/**
 * The platform leaves out columns without a value: its reports in JSON do not fill in zeros, those in CSV do. A row
 * without any figure would hide that the platform has renamed its columns.
 */
export function figuresIn(row: Row): Figures {
  if (!figureColumns.some((name) => isGiven(row[name])))
    throw unreadable('The platform returned figures without any of the requested columns');
  const value = (name: string): bigint => (isGiven(row[name]) ? valueOf(row, name) : 0n);
  const counted = Object.entries(columns).map(([metric, names]) => {
    const sum = names.reduce((total, name) => total + value(name), 0n);
    return [metric, wholes.has(metric as CountedMetric) ? sum : sum / million];
  });
  const figures = Object.fromEntries(counted) as Record<CountedMetric, bigint>;
  return { ...figures, events: eventsIn(figures, value), ...uniqueIn(row) };
}

const eventsIn = (figures: Record<CountedMetric, bigint>, value: (name: string) => bigint): Figures['events'] =>
  ({
    all: { count: value(eventColumns.conversions) },
    purchase: { count: figures.purchases, value: figures.purchaseValue },
    lead: { count: figures.leads },
    complete_registration: { count: value(eventColumns.signups), value: value(eventColumns.signupValue) / million },
    subscribe: { count: value(eventColumns.subscriptions) },
  }) satisfies Partial<Record<ConversionEvent, object>>;

/** Reach is an estimate that some rows lack. */
const uniqueIn = (row: Row): Pick<Figures, 'reach' | 'frequency'> => ({
  ...(isGiven(row[uniqueColumns.reach]) && { reach: valueOf(row, uniqueColumns.reach) / million }),
  ...(isGiven(row[uniqueColumns.frequency]) && { frequency: valueOf(row, uniqueColumns.frequency) }),
});

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

function valueOf(row: Row, name: string): bigint {
  const read = Value.safeParse(row[name]);
  if (read.success) return read.data;
  throw unreadable(`The platform returned unreadable figures (${name})`);
}

export const unreadable = (message: string): PlatformError => new PlatformError('C', 'unavailable', message);

/** A row of the query, without its breakdown. */
export function rowOf(row: Row, { level, granularity, adAccount, fromDate, toDate }: ReportQuery): ReportRow {
  const [idColumn, ...parents] = idColumns[level];
  const [parent, grandparent] = parents.map((name) => PlatformId.safeParse(row[name]).data);
  const id = PlatformId.safeParse(row[idColumn]).data ?? (level === 'account' ? adAccount.id : undefined);
  if (id === undefined) throw unreadable(`The platform returned figures without an id (${idColumn})`);
  const date = granularity === 'day' ? String(row['DATE']).slice(0, 10) : undefined;
  if (date !== undefined && !(date >= fromDate && date <= toDate))
    throw unreadable('The platform returned figures of a day that was not requested');
  return {
    platformId: id,
    ...parentsOf(level, parent, grandparent),
    ...(date !== undefined && { date }),
    figures: figuresIn(row),
  };
}

function parentsOf(level: ReportLevel, parent?: string, grandparent?: string): Partial<ReportRow> {
  if (level === 'ad_set') return { ...(parent !== undefined && { campaignId: parent }) };
  return {
    ...(parent !== undefined && { adSetId: parent }),
    ...(grandparent !== undefined && { campaignId: grandparent }),
  };
}

/** The platform's name of each breakdown. */
export const targetingTypes: Record<Breakdown, string> = {
  age: 'AGE_BUCKET',
  gender: 'GENDER',
  country: 'COUNTRY',
  placement: 'PLACEMENT',
  device: 'APPTYPE',
};

const labels: Partial<Record<Breakdown, Record<string, string>>> = {
  gender: { female: 'female', male: 'male' },
  placement: { search: 'search', browse: 'browse', related_pins: 'related pins', other: 'other' },
  device: {
    iphone: 'mobile',
    android_mobile: 'mobile',
    web_mobile: 'mobile',
    ipad: 'tablet',
    android_tablet: 'tablet',
    web: 'desktop',
  },
};

export const breakdownOf = (breakdown: Breakdown, value: unknown): NonNullable<ReportRow['breakdown']> => [
  breakdownValue(value, labels[breakdown]),
];
