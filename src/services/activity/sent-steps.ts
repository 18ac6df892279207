export { recordingCalls } from '../../lib/sent-calls.ts';
import { takeCalls } from '../../lib/sent-calls.ts';
import type { SentStep } from '../../models/sent-step.ts';

export const maxSteps = 50;

/** What this request has sent since the last entry, as one step. */
export function takeSteps(): SentStep[] {
  const calls = takeCalls();
  const [first, last] = [calls[0], calls.at(-1)];
  if (!first || !last) return [];
  const endedAt = new Date(last.sentAt.getTime() + last.durationMs);
  return [{ name: 'change', state: 'done', startedAt: first.sentAt, endedAt, calls }];
}

/** The members of steps that an entry keeps. */
export const keptSteps = (steps: SentStep[]): SentStep[] =>
  steps.slice(0, maxSteps).map(({ name, state, startedAt, endedAt, remoteId, errorCode, calls }) => ({
    name,
    state,
    startedAt,
    ...(endedAt && { endedAt }),
    ...(remoteId !== undefined && { remoteId }),
    ...(errorCode !== undefined && { errorCode }),
    ...(calls && calls.length > 0 && { calls }),
  }));

/** The steps of one ad of an order; those that all ads share belong to the first. */
export const stepsOfAd = (steps: SentStep[], index: number): SentStep[] =>
  steps.filter(({ name }) => Number(/\.(\d+)$/.exec(name)?.[1] ?? 0) === index);
