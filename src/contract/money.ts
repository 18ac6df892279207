import { z } from 'zod';

export const BudgetType = z
  .enum(['daily', 'lifetime'])
  .meta({ id: 'BudgetType', description: 'A budget for each day, or for the whole run' });

/** Beside every amount of money. */
export const Currency = z
  .string()
  .nullable()
  .describe('ISO 4217 code of the ad account; null while the ad account has not been read');

export const Budget = z
  .strictObject({
    amount: z.number().describe('In whole units of the currency'),
    currency: Currency,
    type: BudgetType,
  })
  .meta({ id: 'Budget', description: 'What may be spent' });
