import type { AdStep } from '../../models/ad.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { Journal, Step, UpstreamRequest } from '../../platforms/platform.ts';

/** An in-flight request cannot arrive after this long, so an object that is missing now was never created. */
const lateArrivalMs = 60_000;

/** Thrown in read-only (reconcile) mode when a step's object cannot be found. */
export class StepMissing extends Error {
  override readonly name = 'StepMissing';
}

export interface DurableJournalOptions {
  platform: string;
  steps: AdStep[];
  /** Stores changed steps by their position in one write; throws if another process has acquired the lease. */
  save: (changed: ReadonlyMap<number, AdStep>) => Promise<void>;
  now: () => Date;
  /** Finds what earlier attempts made and sends nothing. */
  lookOnly?: boolean;
}

export interface DurableJournal extends Journal {
  readonly steps: AdStep[];
  /** The step that was reached last, which is the failed one when a run throws. */
  readonly reached: string | undefined;
  /** True while some step may or may not have been carried out. */
  readonly isUncertain: boolean;
  /** Stores what the beginning of a next step would have stored. */
  flush: () => Promise<void>;
}

const isOpen = (step: AdStep | undefined): step is AdStep => step?.state === 'running' || step?.state === 'unknown';

/**
 * The saga journal of an order: a step is stored as `running` before it is sent, and its remote id together with the beginning
 * of the next step. If the process dies in between, the step stays `running` and its object is searched for.
 */
export function durableJournal({ platform, steps, save, now, lookOnly }: DurableJournalOptions): DurableJournal {
  const kept = new Map(steps.map((step) => [step.name, step]));
  const unsaved = new Set<string>();
  let reached: string | undefined;
  let writing = Promise.resolve();

  const put = (step: AdStep): void => {
    kept.set(step.name, step);
    unsaved.add(step.name);
  };

  const write = async (): Promise<void> => {
    const names = [...unsaved];
    if (names.length === 0) return;
    unsaved.clear();
    const changed = [...kept.values()].flatMap((step, at): [number, AdStep][] =>
      names.includes(step.name) ? [[at, step]] : [],
    );
    try {
      await save(new Map(changed));
    } catch (error) {
      for (const name of names) unsaved.add(name);
      throw error;
    }
  };

  // One write after the other: a step that an earlier write includes is sent only once that write is stored.
  const flush = (): Promise<void> => (writing = writing.catch(() => undefined).then(write));

  const send = async (step: Step, act = step.send): Promise<string> => {
    const started: AdStep = { name: step.name, state: 'running', startedAt: now() };
    put(started);
    await flush().catch((error: unknown) => {
      // It has not been sent.
      put({ ...started, state: 'refused' });
      throw error;
    });
    const remoteId = await act().catch(async (error: unknown) => {
      if (error instanceof PlatformError) {
        put({ ...started, state: error.fault === 'unknown_outcome' ? 'unknown' : 'refused' });
        await flush();
      }
      throw error;
    });
    put({ ...started, state: 'done', remoteId });
    return remoteId;
  };

  const look = async (step: Step, open: AdStep): Promise<string | undefined> => {
    const remoteId = await step.find?.();
    if (remoteId !== undefined) put({ ...open, state: 'done', remoteId });
    return remoteId;
  };

  // Only a process that died may be continued by sending again: it recorded `running` and no answer, long ago.
  const maySendAgain = (open: AdStep): boolean =>
    open.state === 'running' && now().getTime() - open.startedAt.getTime() >= lateArrivalMs;

  return {
    dryRun: false,
    flush,
    get isBegun() {
      return kept.size > 0;
    },
    get steps() {
      return [...kept.values()];
    },
    get reached() {
      return reached;
    },
    get isUncertain() {
      return [...kept.values()].some(isOpen);
    },
    async run(step) {
      reached = step.name;
      const before = kept.get(step.name);
      if (before?.state === 'done' && before.remoteId !== undefined) return before.remoteId;
      if (isOpen(before)) {
        if (step.again && !lookOnly) return send(step, step.again);
        const found = await look(step, before);
        if (found !== undefined) return found;
        if (!lookOnly && !maySendAgain(before)) {
          throw new PlatformError(platform, 'unknown_outcome', `The platform has not yet confirmed "${step.name}"`);
        }
      }
      if (lookOnly) throw new StepMissing(step.name);
      return send(step);
    },
  };
}

/** Carries nothing out: gathers the requests, and answers each step with a placeholder that later requests show. */
export function dryRunJournal(): Journal & { readonly requests: UpstreamRequest[] } {
  const requests: UpstreamRequest[] = [];
  return {
    dryRun: true,
    requests,
    run: async ({ name, request }) => {
      requests.push(request);
      return `{${name}.id}`;
    },
  };
}
