import type { DuplicationDoc } from '../../models/duplication.ts';
import type { Copied } from '../../platforms/platform.ts';
import type { Services } from '../context.ts';
import { writeCopies } from './write-copies.ts';

interface CopyWriter {
  add: (copied: Copied[]) => void;
  /** Writes what is not written yet, and waits for it. */
  flush: () => Promise<void>;
}

/** The first copies are shown soon; a long copy is recorded less often, in larger batches. */
const firstMs = 1_000;
const maxMs = 16_000;

/** Writes copied objects in batches, starting with any that an earlier run missed. */
export function createCopyWriter(services: Services, of: () => { doc: DuplicationDoc; all: Copied[] }): CopyWriter {
  let waiting = of().all;
  let everyMs = firstMs;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const write = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const fresh = waiting;
    waiting = [];
    const { doc, all } = of();
    // The caller of an earlier write has its error.
    writing = writing
      .catch(() => undefined)
      .then(() => writeCopies(services, doc, all, fresh))
      .catch((error: unknown) => {
        waiting = [...fresh, ...waiting];
        throw error;
      });
    return writing;
  };
  const quietly = (error: unknown): void =>
    services.log.warn({ err: error }, 'could not record copied objects; will retry');
  return {
    add(copied) {
      waiting.push(...copied);
      timer ??= setTimeout(() => {
        everyMs = Math.min(maxMs, everyMs * 2);
        void write().catch(quietly);
      }, everyMs);
    },
    flush: write,
  };
}
