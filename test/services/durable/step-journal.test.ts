import { describe, expect, it, vi } from 'vitest';
import type { AdStep } from '../../../src/models/ad.ts';
import { PlatformError, type PlatformFault } from '../../../src/platforms/error.ts';
import type { Step } from '../../../src/platforms/platform.ts';
import { LeaseLostError } from '../../../src/services/durable/lease.ts';
import { dryRunJournal, durableJournal, StepMissing } from '../../../src/services/durable/step-journal.ts';

const startedAt = new Date('2999-01-31T09:00:00Z');

function setUp(
  options: { steps?: AdStep[]; secondsLater?: number; found?: string; lookOnly?: boolean; fails?: PlatformFault } = {},
) {
  const saved: AdStep[][] = [];
  const calls: string[] = [];
  const journal = durableJournal({
    platform: 'A',
    steps: options.steps ?? [],
    save: async (changed) => {
      const written = [...changed.values()];
      calls.push(`save ${written.map(({ state }) => state).join()}`);
      saved.push(written);
    },
    now: () => new Date(startedAt.getTime() + (options.secondsLater ?? 0) * 1000),
    lookOnly: options.lookOnly,
  });
  const step: Step = {
    name: 'campaign',
    request: { method: 'POST', url: 'https://platform.example/campaigns' },
    send: async () => {
      calls.push('send');
      if (options.fails) throw new PlatformError('A', options.fails, options.fails);
      return 'new-1';
    },
    find: async () => {
      calls.push('find');
      return options.found;
    },
  };
  return { journal, step, saved, calls };
}

const earlier = (state: AdStep['state'], remoteId?: string): AdStep[] => [
  { name: 'campaign', state, startedAt, remoteId },
];

describe('a durable journal', () => {
  it('stores the intent before the request and the remote id with the next write', async () => {
    const { journal, step, calls } = setUp();
    expect(await journal.run(step)).toBe('new-1');
    expect(calls).toEqual(['save running', 'send']);
    await journal.flush();
    expect(calls).toEqual(['save running', 'send', 'save done']);
    expect(journal.steps).toEqual([
      { name: 'campaign', state: 'done', startedAt, endedAt: startedAt, remoteId: 'new-1' },
    ]);
  });

  it('sends nothing if the process was suspended after the intent was stored and another one has taken over', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    let saves = 0;
    const journal = durableJournal({
      platform: 'A',
      steps: [],
      now: () => startedAt,
      save: async () => {
        if (saves++ > 0) throw new LeaseLostError('Another process has acquired the lease');
        vi.advanceTimersByTime(60_000);
      },
    });
    const { step, calls } = setUp();
    await expect(journal.run(step)).rejects.toBeInstanceOf(LeaseLostError);
    expect([saves, calls]).toEqual([2, []]);
    vi.useRealTimers();
  });

  it('answers a finished step from the store without a request', async () => {
    const { journal, step, calls } = setUp({ steps: earlier('done', 'old-1') });
    expect(await journal.run(step)).toBe('old-1');
    expect(calls).toEqual([]);
  });

  it.each([
    ['rejected', 'refused', false],
    ['rate_limited', 'refused', false],
    ['unavailable', 'refused', false],
    ['auth_expired', 'refused', false],
    ['unknown_outcome', 'unknown', true],
  ] as const)('keeps a request that failed with %s as %s', async (fault, state, isUncertain) => {
    const { journal, step } = setUp({ fails: fault });
    await expect(journal.run(step)).rejects.toMatchObject({ fault });
    expect(journal.steps).toMatchObject([{ state }]);
    expect(journal.isUncertain).toBe(isUncertain);
    expect(journal.reached).toBe('campaign');
  });

  it.each(['running', 'unknown'] as const)('looks for a step left %s and stores what it finds', async (state) => {
    const { journal, step, calls } = setUp({ steps: earlier(state), found: 'old-1' });
    expect(await journal.run(step)).toBe('old-1');
    await journal.flush();
    expect(calls).toEqual(['find', 'save done']);
  });

  it.each([
    { state: 'refused', secondsLater: 0, sends: true },
    { state: 'running', secondsLater: 59, sends: false },
    { state: 'running', secondsLater: 60, sends: true },
    { state: 'unknown', secondsLater: 86_400, sends: false },
  ] as const)(
    'of a step left $state $secondsLater s ago and not found: sends again $sends',
    async ({ state, secondsLater, sends }) => {
      const { journal, step, calls } = setUp({ steps: earlier(state), secondsLater });
      const answer = journal.run(step);
      if (sends) await expect(answer).resolves.toBe('new-1');
      else await expect(answer).rejects.toMatchObject({ fault: 'unknown_outcome' });
      expect(calls.includes('send')).toBe(sends);
    },
  );

  it.each([[undefined], [earlier('running')], [earlier('unknown')], [earlier('refused')]])(
    'never sends when it only looks, whatever was left (%#)',
    async (steps) => {
      const { journal, step, calls } = setUp({ steps, lookOnly: true, secondsLater: 3600 });
      await expect(journal.run(step)).rejects.toBeInstanceOf(StepMissing);
      expect(calls).not.toContain('send');
    },
  );

  it.each(['running', 'unknown'] as const)('sends media again that were left %s: they spend nothing', async (state) => {
    const { journal, step, calls } = setUp({ steps: earlier(state) });
    const media: Step = { ...step, find: undefined, again: async () => 'again-1' };
    expect(await journal.run(media)).toBe('again-1');
    expect(journal.steps).toMatchObject([{ state: 'done', remoteId: 'again-1' }]);
    await journal.flush();
    expect(calls).toEqual(['save running', 'save done']);
  });

  it('sends no media when it only looks', async () => {
    const { journal, step, calls } = setUp({ steps: earlier('unknown'), lookOnly: true });
    const media: Step = { ...step, find: undefined, again: async () => 'again-1' };
    await expect(journal.run(media)).rejects.toBeInstanceOf(StepMissing);
    expect(calls).toEqual([]);
  });

  it('stores the end of a step in the same write as the beginning of the next one, and nothing else', async () => {
    const { journal, step, saved } = setUp();
    for (const name of ['campaign', 'adSet', 'ad']) await journal.run({ ...step, name });
    await journal.flush();
    await journal.flush();
    const states = saved.map((write) => write.map(({ name, state }) => `${name} ${state}`));
    expect(states).toEqual([
      ['campaign running'],
      ['campaign done', 'adSet running'],
      ['adSet done', 'ad running'],
      ['ad done'],
    ]);
  });

  it('sends concurrent steps only once the write that contains them is stored', async () => {
    const { step } = setUp();
    const order: string[] = [];
    const journal = durableJournal({
      platform: 'A',
      steps: [],
      now: () => startedAt,
      save: async (changed) => {
        await new Promise((resolve) => setImmediate(resolve));
        order.push(...[...changed.values()].map(({ name }) => `stored ${name}`));
      },
    });
    const send = (name: string) => async (): Promise<string> => {
      order.push(`sent ${name}`);
      return name;
    };
    await Promise.all(['a', 'b', 'c'].map((name) => journal.run({ ...step, name, send: send(name) })));
    for (const name of ['a', 'b', 'c'])
      expect(order.indexOf(`stored ${name}`)).toBeLessThan(order.indexOf(`sent ${name}`));
  });

  it('sends nothing and is not uncertain if the beginning of a step cannot be stored', async () => {
    const { step, calls } = setUp();
    const journal = durableJournal({
      platform: 'A',
      steps: [],
      now: () => startedAt,
      save: () => Promise.reject(new Error('the store is gone')),
    });
    await expect(journal.run(step)).rejects.toThrow('the store is gone');
    expect(calls).toEqual([]);
    expect(journal.isUncertain).toBe(false);
  });
});

describe('a dry run', () => {
  it('gathers the requests and answers placeholders', async () => {
    const { step, calls } = setUp();
    const journal = dryRunJournal();
    expect(await journal.run(step)).toBe('{campaign.id}');
    expect(journal.requests).toEqual([step.request]);
    expect(calls).toEqual([]);
  });
});
