import { AppError } from '../../contract/error.ts';
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

export function createHold(memory: ReportMemory | undefined, use: 'reads' | 'files'): Hold {
  let release: (() => void) | undefined;
  return {
    async take(bytes) {
      if (!memory || release) return;
      release = await memory[use].reserve(bytes, memory.maxWaitMs);
      if (release) return;
      const message = `Other reports use the memory that this process has for them. Try again in ${retryAfterSeconds} s.`;
      throw new AppError('temporarily_unavailable', message, { retryAfterSeconds });
    },
    free() {
      release?.();
      release = undefined;
    },
  };
}
