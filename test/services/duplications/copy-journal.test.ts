import { afterEach, expect, it, vi } from 'vitest';
import { createCopyJournal } from '../../../src/services/duplications/copy-journal.ts';

afterEach(() => void vi.useRealTimers());

it('a copy is stored within a second of its response, also if a step that was done before is repeated meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const now = new Date();
  const saved: string[] = [];
  const done = { _id: 'd adSet.1', duplicationId: 'd', name: 'adSet.1', state: 'done' as const, startedAt: now };
  const journal = createCopyJournal({
    platform: 'A',
    duplicationId: 'd',
    steps: [{ ...done, existingCopyIds: [], copied: [{ kind: 'adSet', sourceId: '1', copiedId: '11' }] }],
    now: () => now,
    quietSince: now,
    lateMs: 60_000,
    save: async (changed) => void saved.push(...changed.map(({ name, state }) => `${name} ${state}`)),
    onCopied: () => undefined,
    withCampaignLock: (run) => run(),
  });
  const copy = { kind: 'ad', sourceId: '2', copiedId: '22' } as const;
  let respond = (): void => undefined;
  const response = new Promise<void>((resolve) => (respond = resolve));
  const send = () => response.then(() => ({ copied: [copy] }));
  const copying = journal.run({ name: 'ad.2', makes: [{ kind: 'ad', sourceId: '2' }], send });
  await vi.advanceTimersByTimeAsync(0);
  await journal.run({ name: 'adSet.1', makes: [{ kind: 'adSet', sourceId: '1' }], send });
  await vi.advanceTimersByTimeAsync(1_100);
  expect(saved).toEqual(['ad.2 running']);
  respond();
  await copying;
  await vi.advanceTimersByTimeAsync(1_100);
  expect(saved).toEqual(['ad.2 running', 'ad.2 done']);
});
