/** What an ad delivers. Integers: counts as they are, amounts in millionths of the currency. */
export const figureNames = [
  'spend',
  'impressions',
  'clicks',
  'linkClicks',
  'engagement',
  'videoPlays',
  'videoViews',
  'videoP25',
  'videoP50',
  'videoP75',
  'videoP100',
  'purchases',
  'purchaseValue',
  'leads',
  'registrations',
] as const;

/** In millionths. */
export const cent = 10_000;

export type Figures = Record<(typeof figureNames)[number], number>;

export const noFigures = (): Figures => ({
  spend: 0,
  impressions: 0,
  clicks: 0,
  linkClicks: 0,
  engagement: 0,
  videoPlays: 0,
  videoViews: 0,
  videoP25: 0,
  videoP50: 0,
  videoP75: 0,
  videoP100: 0,
  purchases: 0,
  purchaseValue: 0,
  leads: 0,
  registrations: 0,
});

/** Adds to the first. */
export function addFigures(sum: Figures, more: Partial<Figures>): Figures {
  for (const name of figureNames) sum[name] += more[name] ?? 0;
  return sum;
}

export const sumOf = (all: Iterable<Readonly<Figures>>): Figures => {
  const sum = noFigures();
  for (const figures of all) addFigures(sum, figures);
  return sum;
};

export const hasDelivery = (figures: Readonly<Figures>): boolean => figureNames.some((name) => figures[name] !== 0);
