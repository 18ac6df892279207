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
  /** The smallest amount of the currency in millionths, a cent by default: what is spent are multiples of it. */
  unit?: number;
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
  /** How much later than the rest figures by properties of people arrive. */
  audienceDelayMs?: number;
}

interface Switch {
  at: number;
  isOn: boolean;
  /** It is off from here on without a further entry. */
  until?: number;
  dailyBudget?: number;
}

/** When an object was on, and its daily budget, oldest first. */
export type History = readonly Switch[];

/**
 * An ad delivers while it and all its parents are on, with the budget of the innermost that has one. All ads that exist
 * under this budget share it equally; their creation times are `sharedBy`.
 */
export function spansOf(chain: readonly History[], sharedBy: readonly number[] = []): Span[] {
  const times = chain.flatMap((history) => history.flatMap(({ at, until = at }) => [at, until]));
  const spans: Span[] = [];
  for (const at of [...new Set([...times, ...sharedBy])].toSorted((one, other) => one - other)) {
    const now = chain.map((history) => history.findLast((entry) => entry.at <= at));
    const last = spans.at(-1);
    if (last && last.until === undefined) last.until = at;
    if (!now.every((entry) => entry?.isOn === true && (entry.until === undefined || at < entry.until))) continue;
    const budget = now.find((entry) => entry?.dailyBudget !== undefined)?.dailyBudget;
    const ads = Math.max(1, sharedBy.filter((createdAt) => createdAt <= at).length);
    const dailyBudget = budget === undefined ? undefined : Math.floor(budget / ads);
    if (last?.until === at && last.dailyBudget === dailyBudget) delete last.until;
    else spans.push({ from: at, ...(dailyBudget !== undefined && { dailyBudget }) });
  }
  return spans;
}

const dayMs = 86_400_000;
/**
 * Shows these figures as soon as an ad begins to deliver, and hourly ones from the day after, so that the budget of
 * the first day is kept.
 */
export function withFirstHour(plan: Plan, first: Omit<Total, keyof Period>, now: number): Plan {
  const [begin] = plan.spans;
  if (!begin || begin.from > now) return plan;
  const spend = Math.min(first.spend, begin.dailyBudget ?? first.spend);
  const from = begin.from + dayMs + dayMs / 24;
  const later = plan.spans.map((span) => ({ ...span, from: Math.max(span.from, from) }));
  return {
    ...plan,
    total: { ...first, spend, from: begin.from },
    spans: later.filter((span) => span.until === undefined || span.from < span.until),
  };
}
