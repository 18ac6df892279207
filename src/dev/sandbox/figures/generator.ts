import { noFigures, type Figures } from './figures.ts';
import { addHour, hourMs, hourOf, type Moment } from './hours.ts';
import { hashOf } from './noise.ts';
import type { Plan, Rules } from './plan.ts';

/** Figures of hours this old change no more. */
const finalHours = 31 * 24;
const maxRemembered = 200_000;

export interface Generator {
  /** Figures of the hours that begin in this period, as known at an instant. All in milliseconds. */
  between: (plan: Plan, period: { from: number; until: number }, now: number) => Readonly<Figures>;
}

/** Figures are a pure function of the plan and the time. Periods such as days are remembered. */
export function createGenerator(rules: Rules = {}): Generator {
  const remembered = new Map<string, Readonly<Figures>>();
  const keys = new WeakMap<Plan, string>();
  const keyOf = (plan: Plan): string => {
    const known = keys.get(plan) ?? JSON.stringify(plan);
    keys.set(plan, known);
    return known;
  };
  return {
    between(plan, { from, until }, now) {
      const [first, end, lastHour] = [Math.ceil(from / hourMs), Math.ceil(until / hourMs), hourOf(now) - 1];
      const asOf = lastHour - end > finalHours ? '' : lastHour;
      const key = `${keyOf(plan)} ${first} ${end} ${asOf}`;
      const known = remembered.get(key);
      if (known) return known;
      const figures = computed(plan, { first, end }, { seed: hashOf(plan.id), rules, lastHour });
      if (remembered.size >= maxRemembered) remembered.clear();
      remembered.set(key, figures);
      return figures;
    },
  };
}

function computed(plan: Plan, { first, end }: { first: number; end: number }, moment: Moment): Figures {
  const figures = noFigures();
  for (const { from, until } of activeHours(plan, moment.lastHour))
    for (let hour = Math.max(first, from); hour < Math.min(end, until); hour += 1) addHour(figures, plan, hour, moment);
  return figures;
}

/** Hours that may have figures, in disjoint ranges. */
function activeHours({ spans, total, restatements = [] }: Plan, lastHour: number): { from: number; until: number }[] {
  // What has no end is one hour long, except for spans.
  const short = [...(total ? [total] : []), ...restatements].map(({ from, until = from + 1 }) => ({ from, until }));
  const ranges = [...spans, ...short]
    .map(({ from, until }) => ({
      from: hourOf(from),
      until: until === undefined ? lastHour + 1 : Math.ceil(until / hourMs),
    }))
    .toSorted((one, other) => one.from - other.from);
  const disjoint: { from: number; until: number }[] = [];
  for (const range of ranges) {
    const last = disjoint.at(-1);
    if (last && range.from <= last.until) last.until = Math.max(last.until, range.until);
    else disjoint.push({ ...range });
  }
  return disjoint;
}

/** The first and last hour in which the ad may have delivered, as a period. */
export function lifetimeOf(plan: Plan, now: number): { from: number; until: number } {
  const hours = activeHours(plan, hourOf(now) - 1);
  const ends = hours.map(({ until }) => until);
  return { from: (hours[0]?.from ?? 0) * hourMs, until: Math.max(0, ...ends) * hourMs };
}
