import { afterAll, afterEach, expect } from 'vitest';
import { problemsOf } from '../upstream/check.ts';
import { onUpstreamRequest } from './upstream-requests.ts';

// Every request to a platform of the suite is compared with what that platform has published.
const problems = new Set<string>();
const stop = onUpstreamRequest((request) => {
  for (const problem of problemsOf(request)) problems.add(problem);
});

// These tests send the sandbox whatever it has to cope with, and platforms what they must refuse.
const isOfSandbox = (): boolean => /\/test\/dev\/(sandbox|upstream)\//.test(expect.getState().testPath ?? '');

function expectNone(): void {
  const found = [...problems];
  problems.clear();
  if (isOfSandbox()) return;
  expect(found, 'requests that contradict test/upstream/facts').toEqual([]);
}

afterEach(expectNone);
afterAll(() => {
  stop();
  expectNone();
});
