import { z } from 'zod';
import type { BreakdownValue } from '../breakdown-value.ts';
import { millionths } from '../decimal.ts';
import type { Figures, ReportQuery, ReportRow } from '../report.ts';
import { AmountText } from '../tolerant.ts';
import { amounts, conversions, conversionValue, counted, reach } from './report-columns.ts';
import { idOf } from './restli.ts';

const Count = z.union([z.int(), z.string().regex(/^\d+$/)]).transform(BigInt);
const Amount = z
  .union([z.string(), z.number().transform(String)])
  .pipe(AmountText)
  .transform(millionths);
/** A requested metric that the response omits is zero; a metric that is null is withheld. */
const columnOf = (name: string) => (amounts.includes(name) ? Amount : Count).nullable().default(0n);
const DatePart = z.object({ year: z.int(), month: z.int(), day: z.int() });

/** Schema of a response with these fields. */
export const elementsOf = (fields: readonly string[], pivots: number) =>
  z.object({
    elements: z.array(
      z.object({
        pivotValues: z.array(z.string()).length(pivots),
        dateRange: z.object({ start: DatePart }),
        ...Object.fromEntries(fields.map((name) => [name, columnOf(name)])),
      }),
    ),
  });
export type Element = { pivotValues: string[]; dateRange: { start: z.infer<typeof DatePart> } } & Record<
  string,
  unknown
>;

const two = (part: number): string => String(part).padStart(2, '0');
const dateOf = ({ dateRange: { start } }: Element): string => `${start.year}-${two(start.month)}-${two(start.day)}`;

const million = 1_000_000n;

function figuresIn(element: Element, fields: readonly string[]): Figures {
  const at = (name: string): bigint | null | undefined => element[name] as bigint | null | undefined;
  const scaled = (value: bigint | null | undefined): bigint | null =>
    value === null || value === undefined ? null : value * million;
  const known = Object.entries(counted).map(([metric, name]) => [
    metric,
    metric === 'leads' ? scaled(at(name)) : at(name),
  ]);
  const count = scaled(at(conversions));
  return {
    ...Object.fromEntries(known),
    ...(count !== null && {
      events: { all: { count, ...(fields.includes(conversionValue) && { value: at(conversionValue) }) } },
    }),
    ...(fields.includes(reach) && { reach: at(reach) }),
  };
}

/** Pivot values of an element are those of the parents, the object and the breakdown, in this order. */
interface RowContext {
  /** The object, if the response does not name it. */
  owner?: string;
  pivots: readonly string[];
  fields: readonly string[];
  shownOf: (value: string) => BreakdownValue;
}

export function toRow(query: ReportQuery, element: Element, { owner, pivots, fields, shownOf }: RowContext): ReportRow {
  const valueOf = (pivot: string): string | undefined => {
    const at = pivots.indexOf(pivot);
    return at < 0 ? undefined : element.pivotValues[at];
  };
  const [group, campaign] = [valueOf('CAMPAIGN_GROUP'), valueOf('CAMPAIGN')];
  const value = query.breakdowns.length > 0 ? element.pivotValues.at(-1) : undefined;
  return {
    platformId: owner ?? platformIdOf(query, valueOf),
    ...(query.level !== 'campaign' && group && { campaignId: idOf(group) }),
    ...(query.level === 'ad' && campaign && { adSetId: idOf(campaign) }),
    ...(query.granularity === 'day' && { date: dateOf(element) }),
    ...(value !== undefined && { breakdown: [shownOf(value)] }),
    figures: figuresIn(element, fields),
  };
}

/** The id of an ad is its URN, that of any other object the number in its URN. */
function platformIdOf({ level, adAccount }: ReportQuery, valueOf: (pivot: string) => string | undefined): string {
  if (level === 'account') return adAccount.id;
  if (level === 'ad') return valueOf('CREATIVE') ?? '';
  return idOf(valueOf(level === 'ad_set' ? 'CAMPAIGN' : 'CAMPAIGN_GROUP') ?? '');
}
