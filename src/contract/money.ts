import { z } from 'zod';

export const BudgetType = z
  .enum(['daily', 'lifetime'])
  .meta({ id: 'BudgetType', description: 'Per day, or for the whole run' });

/** Present beside every amount of money. */
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
  .meta({ id: 'Budget', description: 'The amount that may be spent' });
