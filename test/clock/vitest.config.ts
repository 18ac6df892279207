import { defineConfig } from 'vitest/config';
import { SummaryReporter } from '../support/summary-reporter.ts';
import base from '../vitest.config.ts';
import { clockSuites } from './suites.ts';

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: clockSuites(),
    // These need neither Redis nor child processes.
    globalSetup: [],
    maxWorkers: 1,
    // Runs share what they transform.
    experimental: { fsModuleCache: true },
    env: {},
    // A part of the suite: what it does not call proves nothing.
    reporters: ['default', new SummaryReporter()],
  },
});
