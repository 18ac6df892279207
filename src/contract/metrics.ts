import { z } from 'zod';
import { Currency } from './money.ts';
import { metrics } from './reporting/metrics.ts';

const unknown = 'null if the platform does not report it';

export const Metrics = z
  .strictObject({
    spend: z.number().nullable().describe(`${metrics.spend.text}; in whole units of the currency; ${unknown}`),
    currency: Currency,
    impressions: z.number().nullable().describe(`${metrics.impressions.text}; ${unknown}`),
    clicks: z.number().nullable().describe(`${metrics.clicks.text}; ${unknown}`),
  })
  .meta({ id: 'Metrics', description: 'Lifetime metrics as last reported by the platform' });
