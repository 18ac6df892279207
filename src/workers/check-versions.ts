import type { Services } from '../services/context.ts';
import { repeating, type Repeating } from './interval.ts';

const dayMs = 86_400_000;

type Warnings = (now: Date) => { hasEnded: boolean; text: string }[];

/** Logs API versions that end soon or have ended, at start and daily. Requests still go out: the platform decides. */
export const startVersionCheck = (
  warnings: Warnings,
  { clock, log }: Pick<Services, 'clock' | 'log'>,
  everyMs = dayMs,
): Repeating =>
  repeating(
    everyMs,
    async () => {
      for (const { hasEnded, text } of warnings(clock.now())) log[hasEnded ? 'error' : 'warn'](text);
    },
    log,
  );
