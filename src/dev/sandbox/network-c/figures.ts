import { daysIn, periodOfDay, periodOfDays } from '../figures/days.ts';
import { addFigures, hasDelivery, noFigures, type Figures } from '../figures/figures.ts';
import type { Plan, Span } from '../figures/plan.ts';
import { splitFigures, type Cell, type Part } from '../figures/split.ts';
import type { FiguresStore } from '../figures/store.ts';
import { timeIn } from './checks.ts';
import { parentOf, secondaryStatus } from './status.ts';
import type { SandboxState, Thing } from './state.ts';

/** Notes from when on an object delivers, or that it stopped. */
export function noteDelivery(figures: FiguresStore, { id, kind, fields, isDeleted = false }: Thing): void {
  if (!/^(campaign|adgroup|ad)$/.test(kind)) return;
  const isDaily = /BUDGET_MODE_(DAY|DYNAMIC_DAILY_BUDGET)/.test(String(fields['budget_mode']));
  const start = (kind === 'adgroup' && timeIn(fields, 'schedule_start_time')) || 0;
  figures.record(id, {
    isOn: fields['operation_status'] !== 'DISABLE' && !isDeleted && !/\[review:/.test(String(fields['ad_name'])),
    ...(isDaily && Number(fields['budget']) > 0 && { dailyBudget: Math.round(Number(fields['budget']) * 1e6) }),
    ...(start > figures.now() && { from: start }),
  });
}

const minuteMs = 60_000;

/** Seeded metrics; otherwise what the ad delivers, and in its first hour an amount that depends on its id. */
function planOf(sandbox: SandboxState, ad: Thing): Plan {
  const { figures } = sandbox;
  const group = parentOf(sandbox, ad);
  const hasEnd = group?.fields['schedule_type'] === 'SCHEDULE_START_END';
  const end = (group && hasEnd && timeIn(group.fields, 'schedule_end_time')) || Infinity;
  const chain = [ad.id, String(ad.fields['adgroup_id']), String(ad.fields['campaign_id'])];
  const spans = ad.metrics ? [] : figures.spansOf(chain).flatMap((span) => endingBy(span, end));
  const activeMs = spans.reduce((sum, { from, until = figures.now() }) => sum + until - from, 0);
  const isCounted = ad.metrics || secondaryStatus(sandbox, ad) === 'AD_STATUS_DELIVERY_OK' || activeMs >= minuteMs;
  return figures.planOf({ id: ad.id, spans, ...(isCounted && { total: firstHourOf(ad) }) });
}

const endingBy = (span: Span, end: number): Span[] =>
  span.from >= end ? [] : [end < (span.until ?? Infinity) ? { ...span, until: end } : span];

function firstHourOf({ id, metrics, createdAt }: Thing): NonNullable<Plan['total']> {
  const impressions = metrics?.impressions ?? 1000 + (Number(id.slice(-6)) % 9000);
  const clicks = metrics?.clicks ?? Math.floor(impressions / 50);
  const spend = Math.round((metrics?.spend ?? Math.round(clicks * 35) / 100) * 1e6);
  return { from: createdAt, impressions, clicks, spend };
}

/** Days of a request in the time zone of the advertiser, both inclusive; all days if it is left out. */
export interface Range {
  first: string;
  last: string;
  timeZone: string;
}

export interface Delivered extends Cell {
  figures: Figures & { conversion: number };
}

const conversionOf: Record<string, (figures: Figures) => number> = {
  SHOPPING: ({ purchases }) => purchases,
  FORM: ({ leads }) => leads,
  LEAD_GENERATION: ({ leads }) => leads,
  ON_WEB_REGISTER: ({ registrations }) => registrations,
};

interface Split {
  dimensions: readonly (readonly Part[])[];
  /** Reports on the audience come later. */
  isAudience: boolean;
}

/** What an object has delivered, by the values of some dimensions, which are split day by day. */
export function delivered(
  sandbox: SandboxState,
  ads: readonly Thing[],
  range: Range | undefined,
  split: Split,
): Delivered[] {
  const sums = new Map<string, Delivered>();
  for (const ad of ads) {
    const group = parentOf(sandbox, ad)?.fields ?? {};
    const converted = conversionOf[String(group['optimization_event'] ?? group['optimization_goal'])];
    for (const { values, figures } of cellsOf(sandbox, ad, range, split)) {
      const key = values.join(' ');
      const sum = sums.get(key) ?? { values, figures: { ...noFigures(), conversion: 0 } };
      addFigures(sum.figures, figures);
      sum.figures.conversion += converted?.(figures) ?? 0;
      sums.set(key, sum);
    }
  }
  return [...sums.values()].filter(({ figures }) => hasDelivery(figures));
}

function cellsOf(
  sandbox: SandboxState,
  ad: Thing,
  range: Range | undefined,
  { dimensions, isAudience }: Split,
): Cell[] {
  const plan = planOf(sandbox, ad);
  if (!range) return [{ values: [], figures: { ...sandbox.figures.lifetime(plan) } }];
  const { first, last, timeZone } = range;
  if (dimensions.length === 0)
    return [{ values: [], figures: { ...sandbox.figures.between(plan, periodOfDays(first, last, timeZone)) } }];
  return daysIn(first, last).flatMap((day) => {
    const figures = sandbox.figures[isAudience ? 'ofAudience' : 'between'](plan, periodOfDay(day, timeZone));
    return hasDelivery(figures) ? splitFigures(figures, dimensions, `${ad.id} ${day}`) : [];
  });
}
