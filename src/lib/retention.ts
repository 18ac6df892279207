/** How long records are kept; the other expiry times are fixed. */
export interface Retention {
  /** Deliveries after they ended, and recoveries. */
  deliveryDays: number;
  /** Entries of the activity trail. */
  activityDays: number;
  /** Figures of ads by day. */
  figureMonths: number;
  /** The same for ad platforms that have a limit of their own. */
  figureMonthsByPlatform: Readonly<Record<string, number>>;
}

export const defaultRetention: Retention = {
  deliveryDays: 30,
  activityDays: 400,
  figureMonths: 25,
  figureMonthsByPlatform: { F: 3 },
};

export const figureMonthsOf = ({ figureMonths, figureMonthsByPlatform }: Retention, platform: string): number =>
  Math.min(figureMonths, figureMonthsByPlatform[platform] ?? figureMonths);
