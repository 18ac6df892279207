import { Hono } from 'hono';
import { optionsIn } from '../oauth/token-control.ts';
import type { Collection, State } from '../state.ts';
import { createGenerator, lifetimeOf } from './generator.ts';
import type { Figures } from './figures.ts';
import { hourMs } from './hours.ts';
import { spansOf, type History, type Plan, type Restatement, type Rules, type Span, type Total } from './plan.ts';

/** What a test fixes for one ad instead of its own history. */
export interface Delivery {
  spans?: Span[];
  /** What it delivered before its own history. */
  earlier?: Span[];
  total?: Total;
  restatements?: Restatement[];
}

export interface Clock {
  /** How far the platform's clock is ahead. */
  aheadMs: number;
  /** How long figures take to arrive. */
  delayMs: number;
}

export interface FiguresStore {
  /** The platform's clock. */
  now: () => number;
  /** The instant up to which figures have arrived. */
  asOf: () => number;
  /** Records that an object is on from now on, or off. */
  record: (objectId: string, state: { isOn: boolean; dailyBudget?: number; from?: number; until?: number }) => void;
  /** When an object was recorded first. */
  since: (objectId: string) => number | undefined;
  /** The spans in which an ad and all its parents were on; the ids start with the ad's. */
  spansOf: (chain: readonly string[], sharedBy?: readonly number[]) => Span[];
  /** What a test has fixed takes the place of the ad's own. */
  planOf: (own: Plan) => Plan;
  between: (plan: Plan, period: { from: number; until: number }) => Readonly<Figures>;
  /** Figures by age, gender and other properties of people, which arrive later. */
  ofAudience: (plan: Plan, period: { from: number; until: number }) => Readonly<Figures>;
  lifetime: (plan: Plan) => Readonly<Figures>;
  /** `POST /figures` sets the clock, the delay, and the delivery and restatements of ads. */
  control: Hono;
}

/** Some platforms start a new ad a minute or two after its creation. Here it delivers at once, so that it has figures today. */
const soonMs = 5 * 60_000;

/** Figures of one platform; `prefix` names its collections. */
export function createFiguresStore(state: State, prefix: string, rules: Rules = {}): FiguresStore {
  const histories: Collection<History> = state.collection(`${prefix}.history`);
  const deliveries: Collection<Delivery> = state.collection(`${prefix}.delivery`);
  const clocks: Collection<Clock> = state.collection(`${prefix}.clock`);
  const generator = createGenerator(rules);
  const { audienceDelayMs = 0 } = rules;
  const clock = (): Clock => clocks.get('all') ?? { aheadMs: 0, delayMs: 0 };
  const now = (): number => Date.now() + clock().aheadMs;
  const asOf = (): number => now() - clock().delayMs;
  return {
    now,
    asOf,
    record(objectId, { isOn, dailyBudget, from = now(), until }) {
      const history = histories.get(objectId) ?? [];
      const last = history.at(-1);
      if (last?.isOn === isOn && last.dailyBudget === dailyBudget && last.until === until) return;
      const begin = from > now() + soonMs ? from : Math.min(from, now());
      const at = Math.max(begin, last?.at ?? 0);
      const entry = {
        at,
        isOn,
        ...(dailyBudget !== undefined && { dailyBudget }),
        ...(until !== undefined && { until }),
      };
      histories.put(objectId, [...history, entry]);
    },
    since: (objectId) => histories.get(objectId)?.[0]?.at,
    spansOf: (chain, sharedBy) =>
      spansOf(
        chain.map((id) => histories.get(id) ?? []),
        sharedBy,
      ),
    planOf(own) {
      const { earlier = [], ...fixed } = deliveries.get(own.id) ?? {};
      const plan = { ...own, ...fixed };
      return { ...plan, spans: [...earlier, ...plan.spans] };
    },
    between: (plan, period) => generator.between(plan, period, asOf()),
    ofAudience(plan, { from, until }) {
      const arrived = Math.floor((asOf() - audienceDelayMs) / hourMs) * hourMs;
      return generator.between(plan, { from, until: Math.max(from, Math.min(until, arrived)) }, asOf());
    },
    lifetime: (plan) => generator.between(plan, lifetimeOf(plan, asOf()), asOf()),
    control: control(deliveries, clocks, clock),
  };
}

function control(deliveries: Collection<Delivery>, clocks: Collection<Clock>, clock: () => Clock): Hono {
  const app = new Hono();
  app.post('/figures', async (c) => {
    const { adId, aheadMs, delayMs, ...delivery } = await optionsIn<Clock & Delivery & { adId: string }>(c);
    const before = clock();
    clocks.put('all', { aheadMs: aheadMs ?? before.aheadMs, delayMs: delayMs ?? before.delayMs });
    if (adId !== undefined) deliveries.put(adId, { ...deliveries.get(adId), ...delivery });
    return c.json({ success: true });
  });
  return app;
}
