import { checkMoney, carriesBudget } from './ad-sets.ts';
import { requireList, requireObject, requireText, wholeOf, type Body } from './checks.ts';
import { invalid } from './errors.ts';
import type { GraphObject, SandboxState } from './state.ts';

const budgets = ['daily_budget', 'lifetime_budget'];

const without = (fields: Body, names: string[]): Body =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** Whether a change of a campaign moves the budget to the other level. */
export const movesBudget = ({ kind, fields }: GraphObject, change: Body): boolean =>
  kind === 'campaign' &&
  (change['adset_budgets'] !== undefined ||
    (!carriesBudget({ fields }) && budgets.some((name) => change[name] !== undefined)));

/** A campaign that gets a budget takes those of its ad sets; `adset_budgets` gives each ad set one and the campaign none. */
export function moveBudget(sandbox: SandboxState, campaign: GraphObject, change: Body): GraphObject[] {
  const adSets = sandbox
    .under('adset', campaign.id)
    .flatMap((id) => sandbox.objects.get(id) ?? [])
    .filter(({ fields }) => fields['status'] !== 'DELETED');
  if (change['adset_budgets'] === undefined) {
    checkMoneyOf(sandbox, campaign, change);
    const fields = { bid_strategy: 'LOWEST_COST_WITHOUT_CAP', ...campaign.fields, ...change };
    const below = adSets.map((one) => ({ ...one, fields: without(one.fields, [...budgets, 'bid_strategy']) }));
    return [{ ...campaign, fields }, ...below];
  }
  if (!carriesBudget(campaign)) throw invalid('The campaign carries no budget', { field: 'adset_budgets' });
  const given = new Map(
    requireList(change['adset_budgets'], 'adset_budgets').map((entry) => {
      const { adset_id: _id, ...budget } = requireObject(entry, 'adset_budgets');
      return [requireText(entry as Body, 'adset_id'), budget];
    }),
  );
  const below = adSets.map((adSet) => {
    const budget = given.get(adSet.id);
    if (!budget || budgets.every((name) => wholeOf(budget, name) === undefined))
      throw invalid(`adset_budgets must give the ad set ${adSet.id} a budget`, { field: 'adset_budgets' });
    checkMoneyOf(sandbox, adSet, budget);
    return { ...adSet, fields: { ...adSet.fields, bid_strategy: campaign.fields['bid_strategy'], ...budget } };
  });
  const rest = without({ ...campaign.fields, ...change }, [...budgets, 'bid_strategy', 'adset_budgets']);
  return [{ ...campaign, fields: rest }, ...below];
}

function checkMoneyOf(sandbox: SandboxState, { accountId, createdAt, fields }: GraphObject, budget: Body): void {
  const account = sandbox.accounts.get(accountId);
  if (account) checkMoney(account, budget, { start_time: createdAt, ...fields });
}
