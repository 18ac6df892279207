import type { AdOrder } from '../platform.ts';
import { budgetField } from './change.ts';
import type { Fields } from './client.ts';
import type { GoalPlan } from './goals.ts';

const budgetIn = ({ input, adAccount }: AdOrder): Fields =>
  budgetField({ amount: input.budgetAmount ?? 0, type: input.budgetType ?? 'daily' }, adAccount);

const isOfGroup = ({ budgetLevel }: AdOrder): boolean => budgetLevel === 'campaign';

/** A dynamic group distributes its budget to campaigns of one objective and bid strategy. */
export const groupBudget = (order: AdOrder, { objectiveType }: GoalPlan): Fields =>
  isOfGroup(order)
    ? {
        objectiveType,
        budgetOptimization: {
          budgetOptimizationStrategy: 'DYNAMIC',
          bidStrategy: order.input.bidAmount === undefined ? 'MAXIMUM_DELIVERY' : 'MANUAL',
        },
        ...budgetIn(order),
      }
    : {};

/** Pacing belongs to a total budget of its own. */
export function campaignBudget(order: AdOrder): Fields {
  if (isOfGroup(order)) return {};
  return { ...budgetIn(order), ...(order.input.budgetType === 'lifetime' && { pacingStrategy: 'LIFETIME' }) };
}

/** The end of a total budget belongs to the level that carries it. */
export const isEndOfGroup = (order: AdOrder): boolean => isOfGroup(order) && order.input.budgetType === 'lifetime';

export const endOf = ({ input: { endDate } }: AdOrder): Fields => (endDate ? { end: Date.parse(endDate) } : {});
