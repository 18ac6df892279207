import type { Figures } from './figures.ts';

/** Instants in milliseconds; `until` is exclusive, and absent while it goes on. */
export interface Period {
  from: number;
  until?: number;
}

/** The ad delivers during this time. */
export interface Span extends Period {
  /** In millionths; the ad never spends more in a day. */
  dailyBudget?: number;
}

/** A total that is spread over the hours of a period; without an end it belongs to the first hour. */
export interface Total extends Period {
  impressions: number;
  clicks: number;
  /** In millionths. */
  spend: number;
}

/** A later correction of the hours that begin in this period. */
export interface Restatement extends Period {
  /** 1000 changes nothing. */
  perMille?: number;
  /** Belongs to the first hour. */
  add?: Partial<Figures>;
}

/** Everything that the figures of an ad depend on, besides the time. */
export interface Plan {
  /** The id of the ad. */
  id: string;
  spans: readonly Span[];
  total?: Total;
  restatements?: readonly Restatement[];
}

/** How the figures of a platform change after the hour. */
export interface Rules {
  /** Clicks that are found invalid within so many days. */
  invalidClicks?: { perMille: number; days: number };
  /** Charges that are refunded within so many days. */
  refunds?: { perMille: number; days: number };
}

interface Switch {
  at: number;
  isOn: boolean;
  dailyBudget?: number;
}

/** When an object was on, and its daily budget, oldest first. */
export type History = readonly Switch[];

/** An ad delivers while it and all its parents are on; the innermost budget applies. */
export function spansOf(chain: readonly History[]): Span[] {
  const times = [...new Set(chain.flatMap((history) => history.map(({ at }) => at)))].toSorted((a, b) => a - b);
  const spans: Span[] = [];
  for (const at of times) {
    const now = chain.map((history) => history.findLast((entry) => entry.at <= at));
    const last = spans.at(-1);
    if (last?.until === undefined && last) last.until = at;
    if (!now.every((entry) => entry?.isOn === true)) continue;
    const dailyBudget = now.find((entry) => entry?.dailyBudget !== undefined)?.dailyBudget;
    if (last?.until === at && last.dailyBudget === dailyBudget) delete last.until;
    else spans.push({ from: at, ...(dailyBudget !== undefined && { dailyBudget }) });
  }
  return spans;
}
