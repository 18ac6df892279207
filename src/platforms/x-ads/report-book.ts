import { breakdownValue, type BreakdownValue } from '../breakdown-value.ts';
import type { Figures, ReportQuery, ReportRow } from '../report.ts';
import type { Parents } from './report-objects.ts';
import { addSeries, figuresIn, type Requested, type Stats, type Tally } from './report-rows.ts';
import { daysIn, type Window } from './report-windows.ts';

interface Shelf {
  id: string;
  day?: string;
  /** The platform's value of the breakdown. */
  value?: string;
  tally: Tally;
}

/** What one response is about. */
export interface Page {
  window: Window;
  placement: string;
}

export interface Book {
  add: (stats: Stats, page: Page) => void;
  /** The rows with figures. */
  rows: (parents?: ReadonlyMap<string, Parents>, unique?: ReadonlyMap<string, Figures>) => ReportRow[];
}

export const keyOf = (id: string, day?: string, value?: string): string => [id, day, value].join('\n');

/** Adds up windows and placements, and campaigns for the ad account. */
export function createBook(query: ReportQuery, timeZone: string, { metrics }: Requested): Book {
  const shelves = new Map<string, Shelf>();
  const [breakdown] = query.breakdowns;
  const tallyOf = (id: string, day?: string, value?: string): Tally => {
    const key = keyOf(id, day, value);
    const shelf = shelves.get(key) ?? { id, day, value, tally: new Map() };
    shelves.set(key, shelf);
    return shelf.tally;
  };
  return {
    add({ data }, { window, placement }) {
      const days = daysIn(window, timeZone);
      for (const { id, id_data: parts } of data) {
        const owner = query.level === 'account' ? query.adAccount.id : id;
        for (const { segment, metrics: series } of parts) {
          const value = breakdown === 'placement' ? placement : segment?.segment_name;
          addSeries(series, metrics, {
            days,
            tallyOf: (day) => tallyOf(owner, day, breakdown && (value ?? 'unknown')),
          });
        }
      }
    },
    rows: (parents, unique) =>
      [...shelves.values()].flatMap(({ id, day, value, tally }) => {
        const figures = figuresIn(tally);
        if (!figures) return [];
        return [
          {
            platformId: id,
            ...parents?.get(id),
            ...(day !== undefined && { date: day }),
            ...(value !== undefined && { breakdown: [shownOf(value)] }),
            figures: { ...figures, ...unique?.get(keyOf(id, day)) },
          },
        ];
      }),
  };
}

const labels: [RegExp, string][] = [
  [/^(male|men)$/i, 'male'],
  [/^(female|women)$/i, 'female'],
  [/desktop/i, 'desktop'],
  [/ios|android|mobile|blackberry/i, 'mobile'],
  [/^ALL_ON_TWITTER$/, 'x'],
  [/^SPOTLIGHT$/, 'spotlight'],
  [/^TREND$/, 'trend'],
];

/** Ages keep the platform's bands. */
function shownOf(text: string): BreakdownValue {
  const { value, label } = breakdownValue(text);
  return { value, label: labels.find(([form]) => form.test(value))?.[1] ?? label };
}
