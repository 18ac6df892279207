import type { DuplicationStepDoc } from '../../models/duplication-step.ts';
import { isDuplicate, type Db } from '../../models/db.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { Copied, CopyJournal, CopyResult, CopyStep } from '../../platforms/platform.ts';
import { LeaseLostError, ShutdownError } from '../durable/lease.ts';

export interface CopyJournalOptions {
  db: Db;
  platform: string;
  duplicationId: string;
  fencingToken: number;
  steps: DuplicationStepDoc[];
  now: () => Date;
  /** No request of an earlier run was sent after this time. */
  quietSince: Date;
  /** So long after its answer was given up a request can no longer arrive. */
  lateMs: number;
  /** Heard of everything that is copied, after it is stored. */
  onCopied: (copied: Copied[]) => void;
  /** What makes nothing is a switch: its owner's switches of the campaign are never under way beside it. */
  switchAlone: <T>(run: () => Promise<T>) => Promise<T>;
}

export interface StoredCopyJournal extends CopyJournal {
  /** All that is copied so far. */
  readonly copied: Copied[];
  /** True while some step may or may not have been carried out. */
  readonly isUncertain: boolean;
}

const keyOf = ({ kind, sourceId }: Pick<Copied, 'kind' | 'sourceId'>): string => `${kind} ${sourceId}`;
const isOpen = ({ state }: DuplicationStepDoc): boolean => state === 'running' || state === 'unknown';

/** Keeps every step as a document of its own: there before it is sent, with its ids after it, so that many run side by side. */
export function createCopyJournal(options: CopyJournalOptions): StoredCopyJournal {
  const { db, platform, duplicationId, fencingToken, now, quietSince, lateMs, onCopied, switchAlone } = options;
  const rows = new Map(options.steps.map((row) => [row.name, row]));
  const copies = new Map(options.steps.flatMap(({ copied }) => copied.map((one) => [keyOf(one), one])));
  const turns = new Map<string, Promise<unknown>>();

  const put = async (row: DuplicationStepDoc): Promise<void> => {
    const { _id, ...fields } = row;
    try {
      // A row that is done, or that a later run has written, stands: the upsert then meets it as a duplicate.
      const filter = { _id, fencingToken: { $lte: fencingToken }, state: { $ne: 'done' } } as const;
      await db.duplicationSteps.updateOne(filter, { $set: fields }, { upsert: true });
    } catch (error) {
      throw isDuplicate(error) ? new LeaseLostError(`Another process has carried out ${row.name}`) : error;
    }
    rows.set(row.name, row);
    const fresh = row.copied.filter((one) => !copies.has(keyOf(one)));
    for (const one of fresh) copies.set(keyOf(one), one);
    if (fresh.length > 0) onCopied(fresh);
  };

  const missingIn = (step: CopyStep): CopyStep['makes'] => step.makes.filter((one) => !copies.has(keyOf(one)));

  /** Looks for what an unanswered attempt made, and notes it down. */
  const look = async (step: CopyStep, row: DuplicationStepDoc, isLate: boolean): Promise<DuplicationStepDoc> => {
    const taken = new Set([...row.standing, ...[...copies.values()].map(({ copiedId }) => copiedId)]);
    const found = (await step.find?.({ missing: missingIn(step), taken, isLate })) ?? [];
    if (found.length === 0) return row;
    const copied = [...row.copied, ...found];
    const isWhole = step.makes.every((one) => copied.some((made) => keyOf(made) === keyOf(one)));
    const next = { ...row, fencingToken, copied, state: isWhole ? ('done' as const) : row.state };
    await put(next);
    return next;
  };

  const send = async (step: CopyStep, earlier: Copied[]): Promise<DuplicationStepDoc> => {
    const row: DuplicationStepDoc = {
      _id: `${duplicationId} ${step.name}`,
      duplicationId,
      name: step.name,
      fencingToken,
      state: 'running',
      startedAt: now(),
      standing: (await step.standing?.()) ?? [],
      copied: earlier,
    };
    await put(row);
    const made = await step.send(missingIn(step)).catch(async (error: unknown) => {
      const isUnknown = error instanceof PlatformError && error.fault === 'unknown_outcome';
      // Trouble of our own may have come before or after the platform carried it out.
      if (!(error instanceof PlatformError || error instanceof ShutdownError)) throw error;
      if (!isUnknown) {
        await put({ ...row, state: 'refused' });
        throw error;
      }
      const lost: DuplicationStepDoc = { ...row, state: 'unknown', startedAt: now() };
      await put(lost);
      // Mostly only the answer was lost, and what was made is there already.
      const found = step.find && (await look(step, lost, false).catch(() => undefined));
      if (found?.state !== 'done') throw error;
      return found;
    });
    if ('state' in made) return made;
    const done: DuplicationStepDoc = {
      ...row,
      state: 'done',
      copied: [...earlier, ...made.copied],
      ...(made.raw && { raw: made.raw }),
    };
    await put(done);
    return done;
  };

  const carryOut = async (step: CopyStep): Promise<CopyResult> => {
    let row = rows.get(step.name);
    if (row && isOpen(row) && step.find) {
      // A run leaves a step as running when its process dies: what it sent had left by then.
      if (row.state === 'running') row = { ...row, fencingToken, state: 'unknown', startedAt: quietSince };
      const isLate = now().getTime() - row.startedAt.getTime() >= lateMs;
      row = await look(step, row, isLate);
      if (row.state !== 'done' && !isLate) {
        await put({ ...row, fencingToken });
        const message = `The platform has not yet confirmed "${step.name}"`;
        throw new PlatformError(platform, 'unknown_outcome', message);
      }
    }
    if (row?.state !== 'done') row = await send(step, row?.copied ?? []);
    return { copied: row.copied, raw: row.raw };
  };

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
    get isUncertain() {
      return [...rows.values()].some(isOpen);
    },
    copyOf: (kind, sourceId) => copies.get(keyOf({ kind, sourceId }))?.copiedId,
    async run(step) {
      const row = rows.get(step.name);
      if (row?.state === 'done') return { copied: row.copied, raw: row.raw };
      if (step.makes.length === 0) return switchAlone(() => carryOut(step));
      return inTurn(step.alike ?? [], () => carryOut(step));
    },
  };
}
