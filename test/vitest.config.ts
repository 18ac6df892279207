import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './support/longest-first.ts';
import { SummaryReporter } from './support/summary-reporter.ts';

export default defineConfig({
  root: resolve(import.meta.dirname, '..'),
  // Packages load the CommonJS copy of graphql; tests must meet the same one.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/declared-statuses.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A busy machine is no fault of what is tested.
    expect: { poll: { interval: 50, timeout: 15_000 } },
    // Half an hour off the hour, with summer time: whatever reads or writes a local time shows itself.
    env: { TZ: 'America/St_Johns' },
    // More than the cores of a small machine: half of what the tests do is wait.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new SummaryReporter()],
  },
});
