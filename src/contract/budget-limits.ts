import { z } from 'zod';
import { ObjectId, RemoteId } from './common.ts';
import { withLimits } from './limits.ts';

export const limitNames = ['maxDailyBudget', 'maxLifetimeBudget', 'maxActiveBudget'] as const;
export type LimitName = (typeof limitNames)[number];

const about: Record<LimitName, string> = {
  maxDailyBudget: 'The highest daily budget of a campaign or ad set; null for no limit',
  maxLifetimeBudget: 'The highest lifetime budget of a campaign or ad set; null for no limit',
  maxActiveBudget:
    'The highest sum of all active budgets; a daily budget counts with its amount for one day, a lifetime budget with its whole amount; null for no limit',
};

const shown = (name: LimitName) => z.number().nullable().describe(about[name]);

export const BudgetLimits = z
  .strictObject({
    currency: z.string().describe('ISO 4217 code; budgets in another currency are refused, not converted'),
    maxDailyBudget: shown('maxDailyBudget'),
    maxLifetimeBudget: shown('maxLifetimeBudget'),
    maxActiveBudget: shown('maxActiveBudget'),
  })
  .meta({
    id: 'BudgetLimits',
    description: 'The highest budgets of an API key or an ad account, in whole units of the currency',
  });
export type BudgetLimits = z.infer<typeof BudgetLimits>;

const given = (name: LimitName) => withLimits(z.number().positive().max(1e12).nullable().optional(), about[name]);

export const BudgetLimitsInput = z
  .strictObject({
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code in upper case, such as EUR')
      .describe('ISO 4217 code of the currency of the ad account'),
    maxDailyBudget: given('maxDailyBudget'),
    maxLifetimeBudget: given('maxLifetimeBudget'),
    maxActiveBudget: given('maxActiveBudget'),
  })
  .superRefine((limits, check) => {
    if (limitNames.some((name) => typeof limits[name] === 'number')) return;
    const message = `is required: give at least one of ${limitNames.join(', ')}`;
    check.addIssue({ code: 'custom', path: ['maxActiveBudget'], message, params: { code: 'missing_required_field' } });
  })
  .meta({ id: 'BudgetLimitsInput', description: 'Budget limits, at least one, in whole units of the currency' });
export type BudgetLimitsInput = z.output<typeof BudgetLimitsInput>;

const Replacing = BudgetLimitsInput.nullable().describe('Replaces all limits; null removes them');

export const SetApiKeyBudgetLimitsInput = z
  .strictObject({ keyId: ObjectId, budgetLimits: Replacing })
  .meta({ id: 'SetApiKeyBudgetLimitsInput', description: 'The budget limits of an API key' });
export type SetApiKeyBudgetLimitsInput = z.output<typeof SetApiKeyBudgetLimitsInput>;

export const SetBudgetLimitsInput = z
  .strictObject({
    accountId: ObjectId,
    adAccountId: RemoteId.describe('Id of the ad account, as `adAccounts` returns it'),
    budgetLimits: Replacing,
  })
  .meta({ id: 'SetBudgetLimitsInput', description: 'The budget limits of an ad account' });
export type SetBudgetLimitsInput = z.output<typeof SetBudgetLimitsInput>;
