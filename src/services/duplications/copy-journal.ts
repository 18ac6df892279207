import type { DuplicationStepDoc } from '../../models/duplication-step.ts';
import type { Copied, CopyJournal, CopyResult, CopyStep } from '../../platforms/platform.ts';
import { createSteps, type StepCall, type Steps } from '../durable/step-journal.ts';

interface CopyJournalOptions {
  platform: string;
  duplicationId: string;
  steps: DuplicationStepDoc[];
  now: () => Date;
  /** No request of an earlier run was sent after this time. */
  quietSince: Date;
  /** This long after its time-out a request can no longer arrive. */
  lateMs: number;
  /** Stores changed steps in one write; throws if another process has acquired the lease. */
  save: (changed: DuplicationStepDoc[]) => Promise<void>;
  /** Called with new copies after they are stored. */
  onCopied: (copied: Copied[]) => void;
  /** Steps that only change a status run under the campaign lock, never beside the owner's status changes. */
  withCampaignLock: <T>(run: () => Promise<T>) => Promise<T>;
}

export interface StoredCopyJournal extends CopyJournal {
  /** All copies so far. */
  readonly copied: Copied[];
  flush: Steps<DuplicationStepDoc>['flush'];
}

/** A result is stored with the beginning of the next step, or after this time. */
const maxUnsavedMs = 1_000;

const keyOf = ({ kind, sourceId }: Pick<Copied, 'kind' | 'sourceId'>): string => `${kind} ${sourceId}`;

/** The journal of a duplication, whose steps can run concurrently. */
export function createCopyJournal(options: CopyJournalOptions): StoredCopyJournal {
  const { platform, duplicationId, now, quietSince, lateMs, save, onCopied, withCampaignLock } = options;
  const copies = new Map(options.steps.flatMap(({ copied }) => copied.map((one) => [keyOf(one), one])));
  const stored = new Set(copies.keys());
  const turns = new Map<string, Promise<unknown>>();
  let timer: NodeJS.Timeout | undefined;

  const flushSoon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      // If it fails, the result is stored with the next step.
      journal.flush().catch(() => undefined);
    }, maxUnsavedMs);
  };

  const add = ({ copied }: DuplicationStepDoc): void => {
    for (const one of copied) copies.set(keyOf(one), one);
  };

  const journal = createSteps<DuplicationStepDoc>({
    platform,
    now,
    // A process that died left a step as running; what it sent had left before this run began.
    steps: options.steps.map((step) =>
      step.state === 'running' ? { ...step, state: 'unknown', startedAt: quietSince } : step,
    ),
    isLate: ({ startedAt }) => now().getTime() - startedAt.getTime() >= lateMs,
    save: async (changed) => {
      clearTimeout(timer);
      timer = undefined;
      changed.forEach(add);
      await save(changed);
      const fresh = changed.flatMap(({ copied }) => copied.filter((one) => !stored.has(keyOf(one))));
      for (const one of fresh) stored.add(keyOf(one));
      if (fresh.length > 0) onCopied(fresh);
    },
    searchesAtOnce: true,
  });

  const missingIn = (step: CopyStep): CopyStep['makes'] => step.makes.filter((one) => !copies.has(keyOf(one)));

  const callOf = (step: CopyStep): StepCall<DuplicationStepDoc> => ({
    name: step.name,
    begin: async (earlier) => ({
      _id: `${duplicationId} ${step.name}`,
      duplicationId,
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
        return { copied, ...(found.length > 0 && isComplete && { state: 'done' as const }) };
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
    flush: journal.flush,
    run(step) {
      const act = async (): Promise<CopyResult> => {
        const ended = await journal.run(callOf(step));
        add(ended);
        flushSoon();
        return ended;
      };
      if (journal.all.get(step.name)?.state === 'done') return act();
      return step.makes.length === 0 ? withCampaignLock(act) : inTurn(step.alike ?? [], act);
    },
  };
}
