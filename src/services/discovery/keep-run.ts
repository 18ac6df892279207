import type { Services } from '../context.ts';
import { renewRun, RunLost, type Progress, type Run } from './run-store.ts';

export interface Keeper {
  /** Shows how far the run is, now and then; throws where it must end. */
  onProgress: () => Promise<void>;
  requireHeld: () => Promise<void>;
  stop: () => void;
}

/** Minimum interval between progress updates. */
const showEveryMs = 250;

/** Holds a run's lease for as long as it takes, also while a platform is slow to answer. */
export function keepRun(
  services: Services,
  run: Run,
  { progress, signal }: { progress: Progress; signal?: AbortSignal },
): Keeper {
  let isLost = false;
  let shownAt = Date.now();
  const requireHeld = async (): Promise<void> => {
    if (isLost || signal?.aborted) throw new RunLost('This process no longer holds the discovery');
    shownAt = Date.now();
    await renewRun(services, run, progress);
  };
  const timer = setInterval(() => {
    requireHeld().catch((error: unknown) => {
      // A store that cannot be reached says nothing about who holds the run.
      if (error instanceof RunLost) isLost = true;
    });
  }, run.leaseMs / 3);
  return {
    requireHeld,
    onProgress: async () => {
      if (isLost || signal?.aborted || Date.now() - shownAt >= showEveryMs) await requireHeld();
    },
    stop: () => clearInterval(timer),
  };
}
