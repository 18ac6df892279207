import type { OrderProblem } from './platform.ts';

/** What LOWEST_COST_WITH_BID_CAP means where the platform has no highest bid. */
export const averageCost: OrderProblem = {
  path: 'bidStrategy',
  message: 'is carried out as COST_CAP: the platform keeps the average cost at bidAmount and has no highest bid here',
};
