import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixtureOf, goalsOf, goodAdOf, subjects } from '../conformance/platforms.ts';
import { startTestApp, type Answer, type TestApp } from '../support/app.ts';
import { repeats } from '../support/sample.ts';
import { onUpstreamRequest } from '../support/upstream-requests.ts';
import { problemsOf } from './check.ts';
import type { UpstreamRequest } from './decode.ts';
import { isTolerated } from './exceptions.ts';
import { factsOf } from './facts.ts';
import { mutated } from './mutations.ts';
import { bytesOf, renewed, replay, samplesOf, type Sample, type Target } from './replay.ts';
import { units } from './units.ts';

let app: TestApp;
beforeAll(async () => void (app = await startTestApp({ ROLE: 'api' })));
afterAll(() => app.stop());

/** Those that are documented to refuse unknown fields; the others may ignore them. */
const strict = new Set(['google-ads', 'linkedin']);

describe.each(subjects)('platform $platform', (subject) => {
  let target: Target;
  const samples: Sample[] = [];
  const recorded: { order: Record<string, unknown>; answer: Answer; sent: UpstreamRequest[] }[] = [];

  beforeAll(async () => {
    const fixture = await fixtureOf(app, subject);
    target = { sandboxUrl: app.sandbox.url, subject, fixture };
    const orders = fc.record({
      goal: fc.constantFrom(...goalsOf(subject)),
      budgetAmount: fc.integer({ min: 120, max: 900 }).map((halves) => halves / 2),
      endDate: fc.option(
        fc.integer({ min: 2, max: 80 }).map((days) => new Date(Date.now() + days * 86_400_000).toISOString()),
        { nil: undefined },
      ),
      ageMin: fc.constantFrom(undefined, 18, 25),
    });
    for (const order of fc.sample(orders, repeats(4, 20))) {
      const sent: UpstreamRequest[] = [];
      const stop = onUpstreamRequest((request) => void sent.push(request));
      const body = { ...goodAdOf(app, subject, fixture, order.goal), ...order };
      const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
      stop();
      recorded.push({ order, answer, sent });
    }
    const taken = recorded.filter(({ answer }) => answer.status === 201);
    for (const sample of samplesOf(taken.flatMap(({ sent }) => sent))) {
      // What can be done only once cannot be repeated wrongly.
      if ((await replay(target, sample, renewed(sample.body))) === undefined) samples.push(sample);
    }
  });

  it('takes random orders with requests that follow what it has published', () => {
    expect(recorded.some(({ answer }) => answer.status === 201)).toBe(true);
    expect(recorded.flatMap(({ sent }) => sent.flatMap(problemsOf))).toEqual([]);
  });

  it('gets a daily budget in the unit that it has published', () => {
    const { field = '', ofOne } = units[subject.platform] ?? {};
    const valuesIn = (value: unknown): unknown[] =>
      value === null || typeof value !== 'object'
        ? []
        : Object.entries(value).flatMap(([name, member]) => (name === field ? [member] : valuesIn(member)));
    const taken = recorded.filter(({ answer }) => answer.status === 201);
    for (const { order, sent } of taken) {
      const values = samplesOf(sent).flatMap(({ body }) => valuesIn(body));
      expect(new Set(values.map((value) => JSON.stringify(value)))).toEqual(
        new Set([JSON.stringify(ofOne?.(Number(order['budgetAmount'])))]),
      );
    }
    expect(taken.length).toBeGreaterThan(0);
  });

  it('refuses, in its own format, what contradicts what it has published', async () => {
    const [{ request }] = samples as [Sample];
    const pairs = samples
      .flatMap((sample) => sample.mutations.map((mutation) => ({ sample, mutation })))
      .filter(({ mutation: { kind } }) => kind !== 'unknown field' || strict.has(request.platform));
    const registry = new Set(Object.values(factsOf(request.platform).errors ?? {}).flat());
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...pairs), async ({ sample, mutation }) => {
        const body = mutated(renewed(sample.body), mutation);
        const problems = problemsOf({ ...sample.request, body: bytesOf(sample, body) });
        const path = mutation.path.filter((step) => typeof step === 'string').join('.');
        const change = `${request.platform}: ${sample.operation} ${mutation.kind} ${path}`;
        fc.pre(problems.length > 0 && !isTolerated(change));
        const codes = await replay(target, sample, body);
        expect(codes?.length, `${change} is taken, although ${problems.join('; ')}`).toBeGreaterThan(0);
        if (['D', 'E'].includes(subject.platform)) for (const code of codes ?? []) expect(registry).toContain(code);
      }),
      { numRuns: repeats(40, 600) },
    );
  });
});
