import { checkMoney, checkOrder, checkStart, isUnderCampaignBudget } from './ad-sets.ts';
import { moveBudget, movesBudget } from './budget-level.ts';
import { futureTime, rejectUnknownFields, requireOneOf, requireText, textOf, wholeOf, type Body } from './checks.ts';
import { GraphError, invalid } from './errors.ts';
import type { GraphObject, SandboxState } from './state.ts';
import { checkReach } from './targeting.ts';

const changeable: Partial<Record<GraphObject['kind'], string[]>> = {
  campaign:
    'name status daily_budget lifetime_budget adset_budgets bid_strategy stop_time spend_cap is_adset_budget_sharing_enabled adlabels'.split(
      ' ',
    ),
  adset:
    'name status daily_budget lifetime_budget start_time end_time bid_strategy bid_amount bid_constraints targeting dsa_beneficiary dsa_payor regional_regulated_categories regional_regulation_identities adlabels'.split(
      ' ',
    ),
  ad: ['name', 'status', 'creative', 'adlabels'],
  adcreative: ['name', 'status', 'adlabels'],
};
const hour = 3_600_000;

/** Applies an update to a stored object; returns the updated objects: a budget that moves changes ad sets too. */
export function changed(sandbox: SandboxState, object: GraphObject, body: Body): GraphObject[] {
  rejectUnknownFields(body, changeable[object.kind] ?? []);
  const { access_token: _token, execution_options: _options, ...change } = body;
  if (object.fields['status'] === 'DELETED')
    throw invalid('A deleted object cannot be changed', { subcode: 1487056, field: 'id' });
  if (object.fields['status'] === 'ARCHIVED') checkArchived(change);
  if (change['status'] !== undefined) requireOneOf(change, 'status', ['ACTIVE', 'PAUSED', 'DELETED', 'ARCHIVED']);
  if (change['name'] !== undefined) requireText(change, 'name');
  if (textOf(change['is_adset_budget_sharing_enabled']) === 'true')
    throw invalid('Budget sharing cannot be turned on later', {
      subcode: 3858418,
      field: 'is_adset_budget_sharing_enabled',
    });
  checkStart(change);
  if (change['start_time'] !== undefined || change['end_time'] !== undefined)
    checkOrder({ ...object.fields, ...change });
  futureTime(change, object.kind === 'campaign' ? 'stop_time' : 'end_time');
  if (textOf(change['end_time']) === '0' && Number(object.fields['lifetime_budget'] ?? 0) > 0)
    throw invalid('A lifetime budget needs an end time', { subcode: 1487007, field: 'end_time' });
  if (change['targeting'] !== undefined) checkReach({ ...object.fields, ...change }, change['targeting']);
  const fields: Body = { ...object.fields, ...change };
  // Time 0 means no end.
  if (textOf(change['end_time']) === '0') delete fields['end_time'];
  if (movesBudget(object, change)) return moveBudget(sandbox, object, change);
  return [{ ...object, fields, ...budgetChange(sandbox, object, change) }];
}

/** An archived object can only be renamed and deleted. */
function checkArchived(change: Body): void {
  const odd = Object.keys(change).find((name) => name !== 'name' && !(name === 'status' && change[name] === 'DELETED'));
  if (odd !== undefined) throw invalid('An archived object can only be renamed or deleted', { field: odd });
}

/** A budget keeps its type and level, respects the minimum, and changes at most four times an hour. */
function budgetChange(sandbox: SandboxState, object: GraphObject, change: Body): Pick<GraphObject, 'budgetChanges'> {
  const field = ['daily_budget', 'lifetime_budget'].find((name) => wholeOf(change, name) !== undefined);
  const account = sandbox.accounts.get(object.accountId);
  if (!field || !account) return {};
  if (object.kind === 'adset' && isUnderCampaignBudget(sandbox, object))
    throw invalid('The budget is set on the campaign', { subcode: 1885621, field });
  if (object.fields[field] === undefined) throw invalid('The kind of budget cannot be changed', { field });
  checkMoney(account, change, { start_time: object.createdAt, ...object.fields, ...change });
  const recent = (object.budgetChanges ?? []).filter((at) => at > Date.now() - hour);
  if (recent.length >= 4)
    throw new GraphError({ code: 613, subcode: 1487632, message: 'The budget was changed too often within an hour' });
  return { budgetChanges: [...recent, Date.now()] };
}
