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
  /** How long the client of a file may read nothing; a minute by default. */
  maxStallMs?: number;
  /** How many rows a report may have; 250,000 by default. */
  maxRows?: number;
  /** How many bytes of reach or a breakdown are stored, if not the default. */
  maxResultBytes?: number;
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
 * and holds no more than one report.
 */
export const oneReadAtATime = (memory: ReportMemory | undefined): ReportMemory | undefined =>
  memory && { ...memory, reads: oneAtATime(memory.reads) };

function oneAtATime(budget: ByteBudget): ByteBudget {
  let last = Promise.resolve();
  return {
    get reserved() {
      return budget.reserved;
    },
    async reserve(bytes, waitMs) {
      const before = last;
      let end = (): void => undefined;
      last = new Promise((resolve) => (end = resolve));
      await before;
      const release = await budget.reserve(bytes, waitMs);
      if (!release) {
        end();
        return undefined;
      }
      return () => {
        release();
        end();
      };
    },
  };
}

/** The figures of one object in one month. */
export const bytesPerMonth = 4000;
/** A level whose number of objects is not known before it is read. */
export const bytesOfLevel = 16 * megabyte;
export const bytesPerRow = 200;

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
