import { z } from 'zod';
import { Currency } from './money.ts';

export const Metrics = z
  .strictObject({
    spend: z.number().nullable().describe('In whole units of the currency; null if the platform does not report it'),
    currency: Currency,
    impressions: z.number().nullable().describe('How often it was shown; null if the platform does not report it'),
    clicks: z.number().nullable().describe('How often it was clicked; null if the platform does not report it'),
  })
  .meta({ id: 'Metrics', description: 'Lifetime metrics as last reported by the platform' });
