import { AppError } from '../../contract/error.ts';
import type { ReportLevel } from '../../contract/reporting/metrics.ts';
import { createByteBudget, type ByteBudget } from '../../lib/byte-budget.ts';

/** The memory of one process for reports. Clients read files at their own speed, so files do not take it from reads. */
export interface ReportMemory {
  /** From the read of stored figures until the response is built. */
  reads: ByteBudget;
  /** The rows of CSV files until they are sent. */
  files: ByteBudget;
  /** How long a report waits for memory. */
  maxWaitMs: number;
}

const megabyte = 1_000_000;
const retryAfterSeconds = 5;

export const createReportMemory = (bytes = 64 * megabyte, maxWaitMs = 10_000): ReportMemory => ({
  reads: createByteBudget(bytes),
  files: createByteBudget(bytes),
  maxWaitMs,
});

/**
 * The memory of one request, whose reports take it one after the other: a document of many reports does not wait for itself
 * and holds no more than one report. Together they wait for other requests as long as one report may, and none is built once
 * the client is gone.
 */
export const oneReadAtATime = (memory: ReportMemory | undefined, isGone: () => boolean): ReportMemory | undefined =>
  memory && { ...memory, reads: new OneAtATime(memory.reads, isGone) };

/** A class instead of closures: every GraphQL request creates one, although few read a report. */
class OneAtATime implements ByteBudget {
  private last?: Promise<void>;
  private waitedMs = 0;
  private readonly budget: ByteBudget;
  private readonly isGone: () => boolean;

  constructor(budget: ByteBudget, isGone: () => boolean) {
    this.budget = budget;
    this.isGone = isGone;
  }

  get reserved(): number {
    return this.budget.reserved;
  }

  async reserve(bytes: number, waitMs: number): Promise<(() => void) | undefined> {
    const before = this.last;
    let end = (): void => undefined;
    this.last = new Promise((resolve) => (end = resolve));
    await before;
    const release = await this.reserveNext(bytes, waitMs);
    if (!release) {
      end();
      return undefined;
    }
    return () => {
      release();
      end();
    };
  }

  private async reserveNext(bytes: number, waitMs: number): Promise<(() => void) | undefined> {
    if (this.isGone()) return undefined;
    const [before, began] = [this.budget.reserved, performance.now()];
    const reserving = this.budget.reserve(bytes, Math.max(0, waitMs - this.waitedMs));
    // On a busy machine, memory that was free takes time too.
    const isWaiting = this.budget.reserved === before;
    const release = await reserving;
    if (isWaiting) this.waitedMs += performance.now() - began;
    return release;
  }
}

/** The figures of one object in one month. */
export const bytesPerMonth = 4000;
/** A level whose number of objects is not known before it is read. */
export const bytesOfLevel = 16 * megabyte;

/** Memory that one report reserves. */
export interface Hold {
  /** Waits until the bytes are free. A report that holds some takes no more, so that reports do not wait for each other. */
  take: (bytes: number) => Promise<void>;
  free: () => void;
}

/** What an error calls a report. */
export const reportName = (adAccountId: string, level: ReportLevel): string =>
  `The report of ad account ${adAccountId} by ${level.replace('_', ' ')}`;

export function createHold(memory: ReportMemory | undefined, use: 'reads' | 'files', name = 'The report'): Hold {
  let reserving: ReturnType<ByteBudget['reserve']> | undefined;
  let isFree = false;
  return {
    async take(bytes) {
      // The read of a platform can go on after its report; nothing would free what it takes then.
      if (!memory || isFree) return;
      reserving ??= memory[use].reserve(bytes, memory.maxWaitMs);
      if (await reserving) return;
      const message = `${name} was not built: other reports use the memory of this process. Try again in ${retryAfterSeconds} s.`;
      throw new AppError('temporarily_unavailable', message, { retryAfterSeconds });
    },
    free() {
      isFree = true;
      void reserving?.then((release) => release?.());
    },
  };
}
