import { recordingCalls, takeCalls, type SentCall } from '../../lib/sent-calls.ts';
import type { AdStep } from '../../models/ad.ts';
import type { SentStep } from '../../models/sent-step.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { Journal, UpstreamRequest } from '../../platforms/platform.ts';
import { ShutdownError, untilPrompt } from './lease.ts';

/** An in-flight request cannot arrive after this long, so an object that is missing now was never created. */
const inFlightMs = 60_000;

/** A step that took longer to store is stored again before it is sent, which fails if the lease is lost. */
const maxStoreMs = 5_000;

/** Thrown in read-only (reconcile) mode when a step's object cannot be found. */
export class StepMissing extends Error {
  override readonly name = 'StepMissing';
}

export type StoredStep = Omit<SentStep, 'remoteId'>;

type Fields<S> = Omit<S, keyof StoredStep>;

/** How one step is executed. */
export interface StepCall<S extends StoredStep> {
  name: string;
  /** Returns the fields to store before the request is sent. */
  begin: (earlier?: S) => Promise<Fields<S>>;
  /** Sends the request and returns the fields of its result. */
  send: (started: S) => Promise<Partial<S>>;
  /** Returns what an unanswered request created, with state `done` if that is all. Without it, the request is sent again. */
  find?: (open: S, isLate: boolean) => Promise<Partial<S> | undefined>;
}

interface StepsOptions<S extends StoredStep> {
  platform: string;
  steps: S[];
  now: () => Date;
  /** True if the request of an open step can no longer arrive, so that a missing object was never created. */
  isLate: (open: S) => boolean;
  /** Stores changed steps in one write; throws if another process has acquired the lease. */
  save: (changed: S[]) => Promise<void>;
  /** Searches as soon as a response is lost. */
  searchesAtOnce?: boolean;
}

export interface Steps<S extends StoredStep> {
  readonly all: Map<string, S>;
  /** True while some step may or may not have been executed. */
  readonly isUncertain: boolean;
  run: (call: StepCall<S>) => Promise<S>;
  /** Stores what the beginning of a next step would have stored. */
  flush: () => Promise<void>;
}

const isOpen = ({ state }: StoredStep): boolean => state === 'running' || state === 'unknown';

/**
 * A saga journal: a step is stored as `running` before it is sent, and its result together with the beginning of a next step.
 * If the process dies in between, the step stays `running`, and its objects are searched for before it is sent again.
 */
export function createSteps<S extends StoredStep>(options: StepsOptions<S>): Steps<S> {
  const { platform, now, isLate, save, searchesAtOnce } = options;
  const all = new Map(options.steps.map((step) => [step.name, step]));
  const unsaved = new Set<string>();
  let writing = Promise.resolve();

  const write = async (): Promise<void> => {
    const names = [...unsaved];
    if (names.length === 0) return;
    unsaved.clear();
    try {
      await save(names.flatMap((name) => all.get(name) ?? []));
    } catch (error) {
      for (const name of names) unsaved.add(name);
      throw error;
    }
  };

  // One write after the other: a step that an earlier write includes is sent only once that write is stored. The caller of an
  // earlier write has its error.
  const flush = (): Promise<void> => (writing = writing.catch(() => undefined).then(write));

  const begin = async (step: S): Promise<void> => {
    all.set(step.name, step);
    try {
      await untilPrompt(() => {
        unsaved.add(step.name);
        return flush();
      }, maxStoreMs);
    } catch (error) {
      // It has not been sent.
      all.set(step.name, { ...step, state: 'refused' });
      throw error;
    }
  };

  const end = async (step: S): Promise<S> => {
    all.set(step.name, step);
    unsaved.add(step.name);
    if (step.state !== 'done') await flush();
    return step;
  };

  const search = async (call: StepCall<S>, open: S, late: boolean): Promise<S> => {
    const found = await call.find?.(open, late);
    return found ? end({ ...open, ...found }) : open;
  };

  const send = async (call: StepCall<S>, earlier?: S): Promise<S> => {
    const own: StoredStep = { name: call.name, state: 'running', startedAt: now() };
    const started = { ...(await call.begin(earlier)), ...own } as S;
    await begin(started);
    let result: Partial<S>;
    let calls: SentCall[] = [];
    try {
      result = await recordingCalls(now, () => call.send(started).finally(() => (calls = takeCalls())));
    } catch (error) {
      // Any other error may have come before or after the platform executed the request.
      if (!(error instanceof PlatformError || error instanceof ShutdownError)) throw error;
      const isUnknown = error instanceof PlatformError && error.fault === 'unknown_outcome';
      const failed = await end({
        ...started,
        ...(isUnknown ? { state: 'unknown', startedAt: now() } : { state: 'refused' }),
        endedAt: now(),
        ...sentIn(calls),
        ...codeOf(error),
      });
      // A search that fails leaves the outcome unknown; it is repeated when the step is reconciled.
      const found = isUnknown && searchesAtOnce ? await search(call, failed, false).catch(() => failed) : failed;
      if (found.state === 'done') return found;
      throw error;
    }
    return end({ ...started, ...result, state: 'done', endedAt: now(), ...sentIn(calls) });
  };

  return {
    all,
    flush,
    get isUncertain() {
      return [...all.values()].some(isOpen);
    },
    async run(call) {
      const before = all.get(call.name);
      if (before?.state === 'done') return before;
      if (!before || !isOpen(before) || !call.find) return send(call, before);
      const late = isLate(before);
      const found = await search(call, before, late);
      if (found.state === 'done') return found;
      if (late) return send(call, found);
      throw new PlatformError(platform, 'unknown_outcome', `The platform has not yet confirmed "${call.name}"`);
    },
  };
}

const sentIn = (calls: SentCall[]): Pick<StoredStep, 'calls'> => (calls.length > 0 ? { calls } : {});

function codeOf(error: unknown): Pick<StoredStep, 'errorCode'> {
  const code = error instanceof PlatformError ? error.upstream.code : undefined;
  return code === undefined ? {} : { errorCode: String(code) };
}

export interface DurableJournalOptions {
  platform: string;
  steps: AdStep[];
  /** Stores changed steps by their position in one write; throws if another process has acquired the lease. */
  save: (changed: ReadonlyMap<number, AdStep>) => Promise<void>;
  now: () => Date;
  /** Finds what earlier attempts created and sends nothing. */
  lookOnly?: boolean;
}

export interface DurableJournal extends Journal {
  readonly steps: AdStep[];
  /** The step that was reached last, which is the failed one when a run throws. */
  readonly reached: string | undefined;
  /** True while some step may or may not have been executed. */
  readonly isUncertain: boolean;
  /** Stores what the beginning of a next step would have stored. */
  flush: () => Promise<void>;
}

/** The journal of an order, whose steps are one after the other. */
export function durableJournal({ platform, steps, save, now, lookOnly }: DurableJournalOptions): DurableJournal {
  let reached: string | undefined;

  const journal: Steps<AdStep> = createSteps<AdStep>({
    platform,
    steps,
    now,
    // Only a process that died may be resumed by sending again: it recorded `running` and no response, long ago.
    isLate: ({ state, startedAt }) =>
      lookOnly || (state === 'running' && now().getTime() - startedAt.getTime() >= inFlightMs),
    save: (changed) => {
      const names = [...journal.all.keys()];
      return save(new Map(changed.map((step) => [names.indexOf(step.name), step])));
    },
  });

  return {
    dryRun: false,
    flush: journal.flush,
    get isBegun() {
      return journal.all.size > 0;
    },
    get steps() {
      return [...journal.all.values()];
    },
    get reached() {
      return reached;
    },
    get isUncertain() {
      return journal.isUncertain;
    },
    async run({ name, startDate, send, find, again }) {
      reached = name;
      const before = journal.all.get(name);
      const resend = before && isOpen(before) && !lookOnly ? again : undefined;
      const { remoteId } = await journal.run({
        name,
        begin: async () => {
          if (lookOnly) throw new StepMissing(name);
          return startDate ? { startDate } : {};
        },
        send: async () => ({ remoteId: await (resend ?? send)() }),
        find: resend ? undefined : () => findRemoteId(find),
      });
      return remoteId as string;
    },
  };
}

async function findRemoteId(
  find: (() => Promise<string | undefined>) | undefined,
): Promise<Partial<AdStep> | undefined> {
  const remoteId = await find?.();
  return remoteId === undefined ? undefined : { remoteId, state: 'done' };
}

/** Sends nothing: collects the requests and returns a placeholder for each step. */
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
