import { addFigures, cent, figureNames, noFigures, type Figures } from './figures.ts';
import { mix, shareOf } from './noise.ts';
import type { Plan, Rules, Span, Total } from './plan.ts';

export const hourMs = 3_600_000;
const hoursOfDay = 24;

/** Load by hour of the day in UTC, in thousandths. */
const curve = [
  400, 350, 320, 310, 330, 400, 520, 640, 720, 760, 780, 800, 830, 820, 790, 780, 800, 850, 920, 980, 1000, 950, 780,
  560,
];
/** Days with 25 hours stay within the budget. */
const longestDay = 25;
/** In units of the currency, which are cents by default. */
const defaultBudget = 2000;

/** Days until a conversion, of a hundred clicks that convert: half on the same day, the last after 28 days. */
const lags = [
  ...Array.from({ length: 50 }, () => 0),
  ...Array.from({ length: 18 }, () => 1),
  ...Array.from({ length: 8 }, () => 2),
  ...Array.from({ length: 24 }, (_lag, at) => 5 + at),
];

/** Purchases, leads and registrations of a thousand clicks. */
const rates = [60, 40, 25];

const lagOf = (noise: number): number => lags[noise % lags.length] ?? 28;

export interface Moment {
  /** Hashed id of the ad. */
  seed: number;
  rules: Rules;
  /** The last complete hour of which the platform has figures, as a number since 1970. */
  lastHour: number;
}

/** Adds what an ad delivers in one hour, as far as it is known by now. */
export function addHour(sum: Figures, plan: Plan, hour: number, moment: Moment): void {
  const { restatements } = plan;
  if (!restatements) return addDelivered(sum, plan, hour, moment);
  const applied = restatements.filter(({ from, until = from + hourMs }) => isWithin(hour, from, until));
  const figures = noFigures();
  addDelivered(figures, plan, hour, moment);
  for (const { perMille = 1000, add, from } of applied) {
    for (const name of figureNames) figures[name] = Math.round((figures[name] * perMille) / 1000);
    if (hour === hourOf(from)) addFigures(figures, add ?? {});
  }
  addFigures(sum, figures);
}

export const hourOf = (instant: number): number => Math.floor(instant / hourMs);
const isWithin = (hour: number, from: number, until: number): boolean => hour >= hourOf(from) && hour * hourMs < until;

function addDelivered(sum: Figures, { spans, total, unit = cent }: Plan, hour: number, moment: Moment): void {
  const chance = { moment, noise: mix(moment.seed, hour), unit };
  if (total) addShareOfTotal(sum, total, hour, chance);
  if (hour > moment.lastHour) return;
  // Delivery begins with the first whole hour.
  for (const span of spans) {
    if (hour * hourMs < span.from || (span.until !== undefined && (hour + 1) * hourMs > span.until)) continue;
    addDelivery(sum, span, hour, chance);
    return;
  }
}

interface Chance {
  moment: Moment;
  noise: number;
  unit: number;
}

function addDelivery(sum: Figures, { dailyBudget }: Span, hour: number, chance: Chance): void {
  const { noise, moment, unit } = chance;
  const budget = dailyBudget === undefined ? defaultBudget : dailyBudget / unit;
  const load = (500 + (noise % 501)) * (curve[hour % hoursOfDay] ?? 0);
  const spend = unit * Math.floor((budget * load) / longestDay / 1_000_000);
  const impressions = 1 + Math.floor(((30 + (moment.seed % 50)) * load) / 1_000_000);
  const clicks = shareOf(impressions, 12 + (moment.seed % 20), noise >>> 4);
  add(sum, { impressions, clicks, spend }, hour, chance);
}

/** The hours of the period have whole parts that add up to the total. */
function addShareOfTotal(sum: Figures, total: Total, hour: number, chance: Chance): void {
  const first = hourOf(total.from);
  const hours = Math.max(1, Math.ceil((total.until ?? 0) / hourMs) - first);
  const at = hour - first;
  // The first hour counts at once, so that a new ad has figures.
  if (at < 0 || at >= hours || (at > 0 && hour > chance.moment.lastHour)) return;
  const part = (whole: number): number => Math.floor((whole * (at + 1)) / hours) - Math.floor((whole * at) / hours);
  add(
    sum,
    { impressions: part(total.impressions), clicks: part(total.clicks), spend: part(total.spend) },
    hour,
    chance,
  );
}

/** Derives the other figures from impressions and clicks. */
function add(
  sum: Figures,
  { impressions, clicks, spend }: Pick<Figures, 'impressions' | 'clicks' | 'spend'>,
  hour: number,
  { noise, moment, unit }: Chance,
): void {
  const plays = shareOf(impressions, 600, noise >>> 6);
  const quarter = shareOf(plays, 500, noise >>> 8);
  const half = shareOf(quarter, 600, noise >>> 10);
  const threeQuarters = shareOf(half, 700, noise >>> 12);
  sum.impressions += impressions;
  sum.clicks += clicks;
  sum.spend += spend;
  sum.linkClicks += shareOf(clicks, 700, noise >>> 14);
  sum.engagement += clicks + shareOf(impressions, 20, noise >>> 16);
  sum.videoPlays += plays;
  sum.videoViews += shareOf(plays, 800, noise >>> 7);
  sum.videoP25 += quarter;
  sum.videoP50 += half;
  sum.videoP75 += threeQuarters;
  sum.videoP100 += shareOf(threeQuarters, 800, noise >>> 13);
  if (clicks > 0) addConversions(sum, clicks, hour, { moment, unit });
  restate(sum, { clicks, spend }, hour, moment);
}

/** Conversions belong to the hour of their click, and arrive up to four weeks later. */
function addConversions(
  sum: Figures,
  clicks: number,
  hour: number,
  { moment: { seed, lastHour }, unit }: Omit<Chance, 'noise'>,
): void {
  const age = Math.max(0, lastHour - hour);
  for (let salt = 0; salt < rates.length; salt += 1) {
    const noise = mix(seed + salt + 1, hour);
    const converting = shareOf(clicks, rates[salt] ?? 0, noise);
    for (let at = 0; at < converting; at += 1) {
      const own = mix(noise, at);
      if (lagOf(own) * hoursOfDay > age) continue;
      if (salt === 1) sum.leads += 1;
      if (salt === 2) sum.registrations += 1;
      if (salt > 0) continue;
      sum.purchases += 1;
      sum.purchaseValue += unit * (1000 + (own % 5000));
    }
  }
}

function restate(
  sum: Figures,
  of: Pick<Figures, 'clicks' | 'spend'>,
  hour: number,
  { seed, rules, lastHour }: Moment,
): void {
  const { invalidClicks, refunds } = rules;
  if (!invalidClicks && !refunds) return;
  const days = Math.max(0, Math.floor((lastHour - hour) / hoursOfDay));
  const noise = mix(seed + 7, hour);
  if (invalidClicks && days >= noise % invalidClicks.days)
    sum.clicks -= shareOf(of.clicks, invalidClicks.perMille, noise >>> 8);
  if (!refunds) return;
  const full = Math.floor((of.spend * refunds.perMille) / 1000);
  sum.spend -= Math.floor((full * Math.min(days, refunds.days)) / refunds.days);
}
