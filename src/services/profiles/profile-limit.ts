import type { Plan } from '../context.ts';

/** How many profiles a plan allows; null means unlimited. */
export const profileLimits: Record<Plan, number | null> = {
  free: 2,
  build: 10,
  accelerate: 50,
  unlimited: null,
  'usage-based': null,
};
