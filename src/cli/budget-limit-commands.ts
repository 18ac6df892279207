import { z } from 'zod';
import { BudgetLimitsInput } from '../contract/budget-limits.ts';
import { ObjectId } from '../contract/common.ts';
import { AppError } from '../contract/error.ts';
import { parseInput } from '../contract/parse.ts';
import { requireAccount } from '../services/access.ts';
import { listApiKeys } from '../services/api-keys/list-api-keys.ts';
import { setApiKeyBudgetLimits } from '../services/budget-limits/change-limits.ts';
import { setRecordedBudgetLimits } from '../services/budget-limits/recorded-ad-account.ts';
import type { Ctx } from '../services/context.ts';
import type { Command, Flags, Printed } from './command.ts';
import { forOwner } from './owner.ts';

const eitherKeyOr = (other: string) => ({
  code: 'custom' as const,
  path: ['keyId'],
  message: `give either this or ${other}`,
  params: { code: 'missing_required_field' },
});

const Target = z
  .strictObject({
    keyId: ObjectId.optional(),
    accountId: ObjectId.optional(),
    adAccountId: z.string().min(1).optional(),
  })
  .superRefine(({ keyId, accountId, adAccountId }, check) => {
    if (keyId !== undefined ? accountId === undefined && adAccountId === undefined : accountId && adAccountId) return;
    check.addIssue(eitherKeyOr('--account with --ad-account'));
  });
const Shown = z
  .strictObject({ keyId: ObjectId.optional(), accountId: ObjectId.optional() })
  .superRefine(({ keyId, accountId }, check) => {
    if ((keyId === undefined) === (accountId === undefined)) check.addIssue(eitherKeyOr('--account'));
  });
const amounts = ['maxDailyBudget', 'maxLifetimeBudget', 'maxActiveBudget'];

async function replace(ctx: Ctx, target: Flags, budgetLimits: BudgetLimitsInput | null): Promise<Printed> {
  const { keyId, accountId = '', adAccountId = '' } = parseInput(Target, target);
  if (keyId !== undefined) {
    const { apiKey } = await setApiKeyBudgetLimits(ctx, { keyId, budgetLimits });
    return { id: keyId, budgetLimits: apiKey.budgetLimits };
  }
  const { adAccount } = await setRecordedBudgetLimits(ctx, { accountId, adAccountId, budgetLimits });
  return { id: adAccount.id, budgetLimits: adAccount.budgetLimits };
}

const target = '--user ID --key ID|--account ID --ad-account ID';
const targets = ['userId', 'keyId', 'accountId', 'adAccountId'];

/** Budget limits of an API key, or of an ad account that the service has listed before. */
export const budgetLimitCommands: Record<string, Command> = {
  'budget-limits set': {
    usage: `${target} --currency CODE [--max-daily N] [--max-lifetime N] [--max-active N]`,
    about: 'replaces the budget limits of an API key or an ad account; applies within seconds',
    takes: [...targets, 'currency', ...amounts],
    run: async (services, flags) => {
      const { ctx, input } = await forOwner(services, flags);
      const { currency, ...rest } = input;
      const given = Object.entries(rest).filter(([name]) => amounts.includes(name));
      const numbers = Object.fromEntries(given.map(([name, value]) => [name, Number(value)]));
      const limits = parseInput(BudgetLimitsInput, { currency, ...numbers });
      const of = Object.fromEntries(Object.entries(rest).filter(([name]) => !amounts.includes(name)));
      return replace(ctx, of, limits);
    },
  },
  'budget-limits show': {
    usage: '--user ID --key ID|--account ID',
    about: 'the budget limits of an API key, or of all ad accounts of an account',
    takes: ['userId', 'keyId', 'accountId'],
    run: async (services, flags) => {
      const { ctx, input } = await forOwner(services, flags);
      const { keyId, accountId } = parseInput(Shown, input);
      if (accountId !== undefined) {
        const { budgetLimits = {} } = await requireAccount(ctx, accountId);
        return { id: accountId, budgetLimits };
      }
      const key = (await listApiKeys(ctx)).apiKeys.find(({ id }) => id === keyId);
      if (!key) throw new AppError('api_key_not_found', `There is no API key ${keyId}`, { param: 'keyId' });
      return { id: key.id, budgetLimits: key.budgetLimits };
    },
  },
  'budget-limits remove': {
    usage: target,
    about: 'removes the budget limits of an API key or an ad account',
    takes: targets,
    run: async (services, flags) => {
      const { ctx, input } = await forOwner(services, flags);
      return replace(ctx, input, null);
    },
  },
};
