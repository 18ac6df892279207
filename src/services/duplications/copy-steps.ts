import type { DuplicationStepDoc } from '../../models/duplication-step.ts';
import type { Services } from '../context.ts';
import { LeaseLostError } from '../durable/lease.ts';
import { extendHeld, type DuplicationRun } from './duplication-store.ts';

/** A duplication keeps so many of its latest steps, so that one write stores them and extends its lease. */
const maxInDuplication = 50;

/** Stores changed steps and extends the lease; throws if another process has acquired it. */
export async function saveSteps(services: Services, run: DuplicationRun, changed: DuplicationStepDoc[]): Promise<void> {
  const { steps = [], copied } = run.doc;
  const next = [...steps];
  const at = new Map(steps.map(({ name }, position) => [name, position]));
  for (const step of changed) next[at.get(step.name) ?? next.length] = step;
  const isFull = next.length > maxInDuplication;
  const moved = isFull ? steps.filter(({ state }) => state === 'done') : [];
  await move(services, moved);
  const kept = next.filter((step) => !moved.some(({ name }) => name === step.name));
  const isWhole = isFull || steps.length === 0;
  const positions = kept.flatMap((step, position) => (changed.includes(step) ? [[`steps.${position}`, step]] : []));
  const set = isWhole ? { steps: kept } : (Object.fromEntries(positions) as Record<string, DuplicationStepDoc>);
  if (!(await extendHeld(services, run, { ...set, copied })))
    throw new LeaseLostError('Another process has acquired this duplication');
  run.doc = { ...run.doc, steps: kept };
}

/** What is done stays as it is, so it does not matter which process writes it here, or how often. */
async function move({ db }: Services, steps: DuplicationStepDoc[]): Promise<void> {
  if (steps.length === 0) return;
  const writes = steps.map((step) => ({
    replaceOne: { filter: { _id: step._id }, replacement: step, upsert: true },
  }));
  await db.duplicationSteps.bulkWrite(writes, { ordered: false });
}
