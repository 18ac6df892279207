import { live } from './campaigns.ts';
import { oneOf, pick, required } from './checks.ts';
import { AdsError, invalid, missing, notFound, refused, type Problem } from './errors.ts';
import { interestsByValue, languages, locationsByValue } from './places.ts';
import type { AdAccount, Params, Thing, SandboxState } from './state.ts';

const ages =
  'AGE_13_TO_24 AGE_13_TO_34 AGE_13_TO_49 AGE_13_TO_54 AGE_OVER_13 AGE_18_TO_34 AGE_18_TO_49 AGE_18_TO_54 AGE_OVER_18 AGE_21_TO_34 AGE_21_TO_49 AGE_21_TO_54 AGE_OVER_21 AGE_25_TO_49 AGE_25_TO_54 AGE_OVER_25 AGE_35_TO_49 AGE_35_TO_54 AGE_OVER_35 AGE_OVER_50'.split(
    ' ',
  );
const most: Record<string, number> = { LOCATION: 2_000, INTEREST: 100, AGE: 1 };

interface RequestedTargeting {
  account: AdAccount;
  item: Thing;
  value: string;
}

const values: Record<string, (requested: RequestedTargeting) => boolean> = {
  LOCATION: ({ value }) => locationsByValue.has(value),
  INTEREST: ({ value }) => interestsByValue.has(value),
  AGE: ({ value }) => ages.includes(value),
  GENDER: ({ value }) => value === '1' || value === '2',
  LANGUAGE: ({ value }) => languages.some(({ targeting_value: code }) => code === value),
  CUSTOM_AUDIENCE: ({ account, value }) =>
    account.audiences.some(({ id, isTargetable }) => id === value && isTargetable),
  PLATFORM: ({ value }) => /^[0-4]$/.test(value),
  BROAD_KEYWORD: ({ value }) => value.trim() !== '',
  PHRASE_KEYWORD: ({ value }) => value.trim() !== '',
};

export const nameOf = ({ targeting_type, targeting_value = '' }: Params): string =>
  locationsByValue.get(targeting_value)?.name ??
  (targeting_type === 'INTEREST' ? interestsByValue.get(targeting_value)?.name : undefined) ??
  targeting_value;

type Criterion = Pick<Thing, 'kind' | 'accountId' | 'parentId' | 'fields'>;

/** Validates a new criterion; `waiting` are those of the same call. */
function checkCriterion(
  sandbox: SandboxState,
  account: AdAccount,
  { params, waiting }: { params: Params; waiting: Criterion[] },
): Criterion {
  const item = live(sandbox, account, { kind: 'line_item', id: required(params, 'line_item_id') });
  const type = oneOf(params, 'targeting_type', Object.keys(values));
  const value = required(params, 'targeting_value');
  const operator_type = params['operator_type'] ?? 'EQ';
  oneOf({ operator_type }, 'operator_type', ['EQ', 'NE', 'GTE', 'LT']);
  if (!values[type]?.({ account, item, value }))
    throw invalid('targeting_value', `"${value}" is no value for the targeting type ${type}`, value);
  const beside = [
    ...sandbox.below('targeting_criterion', item.id).map((id) => sandbox.things.get(id)),
    ...waiting.filter(({ parentId }) => parentId === item.id),
  ].filter((other) => other?.fields['targeting_type'] === type && !('isDeleted' in other && other.isDeleted));
  if (beside.length >= (most[type] ?? Number.POSITIVE_INFINITY))
    throw invalid('targeting_type', `A line item supports at most ${most[type]} of the type ${type}`, type);
  const contradicts = (other: Criterion | undefined): boolean =>
    other?.fields['targeting_value'] === value && other.fields['operator_type'] !== operator_type;
  // Unconfirmed, like the code.
  if (beside.some(contradicts)) throw invalid('targeting_value', `"${value}" is both targeted and excluded`, value);
  const fields = { ...pick(params, ['targeting_type', 'targeting_value']), operator_type };
  return { kind: 'targeting_criterion', accountId: account.id, parentId: item.id, fields };
}

export const addCriterion = (sandbox: SandboxState, account: AdAccount, params: Params): Thing =>
  sandbox.add(checkCriterion(sandbox, account, { params, waiting: [] }));

const largestBatch = 500;

/** Thrown if an item of a batch is rejected; one list of errors per item. */
export class BatchError extends Error {
  readonly problems: Problem[][];
  readonly status: number;

  constructor(problems: Problem[][], status: number) {
    super('An operation of the batch was rejected');
    this.problems = problems;
    this.status = status;
  }
}

type Step = { add: Criterion } | { remove: Thing };

/** Atomic: executes all operations or none. */
export function batch(sandbox: SandboxState, account: AdAccount, json: unknown): Thing[] {
  if (!Array.isArray(json) || json.length === 0)
    throw refused('INVALID_PARAMETER', 'Expected a list of operations as JSON');
  if (json.length > largestBatch)
    throw refused('REQUEST_TOO_COMPLEX', `A batch has at most ${largestBatch} operations`);
  const waiting: Criterion[] = [];
  const failures = new Set<number>();
  const steps: (Step | Problem)[] = json.map((operation: unknown) => {
    try {
      const step = stepOf(sandbox, account, { operation, waiting });
      if ('add' in step) waiting.push(step.add);
      return step;
    } catch (error) {
      if (!(error instanceof AdsError)) throw error;
      failures.add(error.status);
      return error.problem;
    }
  });
  if (failures.size > 0)
    throw new BatchError(
      steps.map((step) => ('code' in step ? [step] : [])),
      Math.min(...failures),
    );
  return steps.flatMap((step) => {
    if ('add' in step) return [sandbox.add(step.add)];
    return 'remove' in step ? [sandbox.change(step.remove, { isDeleted: true })] : [];
  });
}

function stepOf(
  sandbox: SandboxState,
  account: AdAccount,
  { operation, waiting }: { operation: unknown; waiting: Criterion[] },
): Step {
  const { operation_type, params } = (operation ?? {}) as { operation_type?: unknown; params?: unknown };
  if (operation_type === undefined) throw missing('operation_type');
  oneOf({ operation_type: String(operation_type) }, 'operation_type', ['Create', 'Delete']);
  if (params === null || typeof params !== 'object') throw missing('params');
  const texts = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
  if (operation_type === 'Create') return { add: checkCriterion(sandbox, account, { params: texts, waiting }) };
  const id = required(texts, 'targeting_criterion_id');
  const thing = sandbox.things.get(id);
  if (thing?.kind !== 'targeting_criterion' || thing.accountId !== account.id || thing.isDeleted)
    throw notFound('TARGETING_CRITERION', id);
  return { remove: thing };
}
