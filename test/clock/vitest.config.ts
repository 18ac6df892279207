import { defineConfig } from 'vitest/config';
import base from '../vitest.config.ts';
import { clockSuites } from './suites.ts';

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: clockSuites(),
    // The files share one process: to load the source once is most of what a run costs.
    isolate: false,
    maxWorkers: 1,
    env: {},
  },
});
