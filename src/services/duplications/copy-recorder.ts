import type { DuplicationDoc } from '../../models/duplication.ts';
import type { Copied } from '../../platforms/platform.ts';
import type { Services } from '../context.ts';
import { recordCopies } from './record-copies.ts';

export interface CopyRecorder {
  add: (copied: Copied[]) => void;
  /** Writes what has come since, and waits for it. */
  flush: () => Promise<void>;
}

const everyMs = 500;

/** Writes the records of a growing copy by the bundle. One that is lost is written at the end, from the steps. */
export function createRecorder(services: Services, of: () => { doc: DuplicationDoc; all: Copied[] }): CopyRecorder {
  let waiting: Copied[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const write = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const fresh = waiting;
    waiting = [];
    const { doc, all } = of();
    writing = writing.then(() => recordCopies(services, doc, all, fresh));
    return writing;
  };
  const quietly = (error: unknown): void =>
    services.log.warn({ err: error }, 'copies are not shown yet; they are recorded at the end');
  return {
    add(copied) {
      waiting.push(...copied);
      timer ??= setTimeout(() => {
        write().catch(quietly);
        writing = writing.catch(() => undefined);
      }, everyMs);
    },
    flush: write,
  };
}
