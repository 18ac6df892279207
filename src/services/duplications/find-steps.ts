import type { DuplicationStepDoc } from '../../models/duplication-step.ts';
import type { DuplicationDoc } from '../../models/duplication.ts';
import type { Services } from '../context.ts';
import { storedDates } from '../stored-dates.ts';

const { date } = storedDates('duplication_steps');

/** All steps of a duplication, in the order of their beginning. It has to be read before them: steps move away from it. */
export async function stepsOf(
  { db }: Pick<Services, 'db'>,
  { _id: duplicationId, steps = [] }: Pick<DuplicationDoc, '_id' | 'steps'>,
): Promise<DuplicationStepDoc[]> {
  const names = new Set(steps.map(({ name }) => name));
  const earlier = await db.duplicationSteps.find({ duplicationId }).lean();
  const all = [...earlier.filter(({ name }) => !names.has(name)), ...steps];
  const startOf = (step: DuplicationStepDoc): number => date(step, 'startedAt').getTime();
  return all.toSorted((one, other) => startOf(one) - startOf(other));
}
