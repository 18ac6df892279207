import type { DuplicationStepDoc } from '../../models/duplication-step.ts';
import { isDuplicate, type Db } from '../../models/db.ts';
import type { Copied, CopyJournal, CopyResult, CopyStep } from '../../platforms/platform.ts';
import { LeaseLostError } from '../durable/lease.ts';
import { createSteps, type StepCall } from '../durable/step-journal.ts';

export interface CopyJournalOptions {
  db: Db;
  platform: string;
  duplicationId: string;
  fencingToken: number;
  steps: DuplicationStepDoc[];
  now: () => Date;
  /** No request of an earlier run was sent after this time. */
  quietSince: Date;
  /** This long after its time-out a request can no longer arrive. */
  lateMs: number;
  /** Called with new copies after they are stored. */
  onCopied: (copied: Copied[]) => void;
  /** Steps that only change a status run under the campaign lock, never beside the owner's status changes. */
  withCampaignLock: <T>(run: () => Promise<T>) => Promise<T>;
}

export interface StoredCopyJournal extends CopyJournal {
  /** All copies so far. */
  readonly copied: Copied[];
}

const keyOf = ({ kind, sourceId }: Pick<Copied, 'kind' | 'sourceId'>): string => `${kind} ${sourceId}`;

/** Keeps every step as a document of its own, so that steps can run concurrently. */
export function createCopyJournal(options: CopyJournalOptions): StoredCopyJournal {
  const { db, platform, duplicationId, fencingToken, now, quietSince, lateMs, onCopied, withCampaignLock } = options;
  const copies = new Map(options.steps.flatMap(({ copied }) => copied.map((one) => [keyOf(one), one])));
  const turns = new Map<string, Promise<unknown>>();

  const put = async (step: DuplicationStepDoc): Promise<void> => {
    const { _id, ...fields } = step;
    try {
      // A step that is done, or that a later run has written, does not match: the upsert then meets it as a duplicate.
      const filter = { _id, fencingToken: { $lte: fencingToken }, state: { $ne: 'done' } } as const;
      await db.duplicationSteps.updateOne(filter, { $set: fields }, { upsert: true });
    } catch (error) {
      throw isDuplicate(error) ? new LeaseLostError(`Another process has executed ${step.name}`) : error;
    }
    const fresh = step.copied.filter((one) => !copies.has(keyOf(one)));
    for (const one of fresh) copies.set(keyOf(one), one);
    if (fresh.length > 0) onCopied(fresh);
  };

  const journal = createSteps<DuplicationStepDoc>({
    platform,
    now,
    // A process that died left a step as running; what it sent had left before this run began.
    steps: options.steps.map((step) =>
      step.state === 'running' ? { ...step, state: 'unknown', startedAt: quietSince } : step,
    ),
    isLate: ({ startedAt }) => now().getTime() - startedAt.getTime() >= lateMs,
    begin: put,
    end: put,
    searchesAtOnce: true,
  });

  const missingIn = (step: CopyStep): CopyStep['makes'] => step.makes.filter((one) => !copies.has(keyOf(one)));

  const callOf = (step: CopyStep): StepCall<DuplicationStepDoc> => ({
    name: step.name,
    begin: async (earlier) => ({
      _id: `${duplicationId} ${step.name}`,
      duplicationId,
      fencingToken,
      existingCopyIds: (await step.existingCopyIds?.()) ?? [],
      copied: earlier?.copied ?? [],
    }),
    send: async ({ copied }) => {
      const made = await step.send(missingIn(step));
      return { copied: [...copied, ...made.copied], ...(made.raw && { raw: made.raw }) };
    },
    find:
      step.find &&
      (async (open, isLate) => {
        const taken = new Set([...open.existingCopyIds, ...[...copies.values()].map(({ copiedId }) => copiedId)]);
        const found = (await step.find?.({ missing: missingIn(step), taken, isLate })) ?? [];
        const copied = [...open.copied, ...found];
        const isComplete = step.makes.every((one) => copied.some((made) => keyOf(made) === keyOf(one)));
        return { fencingToken, copied, ...(found.length > 0 && isComplete && { state: 'done' as const }) };
      }),
  });

  /** Serialises indistinguishable steps; none starts while an earlier one has an unknown outcome. */
  const inTurn = async <T>(names: string[], act: () => Promise<T>): Promise<T> => {
    const before = Promise.all(names.map((name) => turns.get(name) ?? Promise.resolve()));
    const mine = before.then(act);
    for (const name of names) turns.set(name, mine);
    return mine;
  };

  return {
    get copied() {
      return [...copies.values()];
    },
    copyOf: (kind, sourceId) => copies.get(keyOf({ kind, sourceId }))?.copiedId,
    run(step) {
      const act = (): Promise<CopyResult> => journal.run(callOf(step));
      if (journal.all.get(step.name)?.state === 'done') return act();
      return step.makes.length === 0 ? withCampaignLock(act) : inTurn(step.alike ?? [], act);
    },
  };
}
