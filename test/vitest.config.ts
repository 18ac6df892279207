import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { ApiCoverageReporter } from './support/api-coverage-reporter.ts';
import { LongestFirst } from './support/longest-first.ts';
import { isExhaustive } from './support/sample.ts';
import { slow } from './support/slow.ts';
import { StallReporter } from './support/stall-reporter.ts';
import { SummaryReporter } from './support/summary-reporter.ts';

const namesFiles = process.argv.slice(2).some((arg) => arg.startsWith('test/') && !arg.endsWith('config.ts'));

const usual = /^(run|--config|--maxWorkers.*|--reporter.*|.*config\.ts)$/;
const isFiltered = process.argv.slice(2).some((arg) => !usual.test(arg));

// Node 20 spends a sixth to a quarter of the CPU time on optimizing functions, most of which run seldom: the default is 67584.
// Later versions have no such option.
const optimizeLater = process.versions.node.startsWith('20.') ? ['--interrupt-budget=250000'] : [];

export default defineConfig({
  root: resolve(import.meta.dirname, '..'),
  // Packages load the CommonJS copy of graphql; tests must meet the same one.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**', ...(isExhaustive || namesFiles ? [] : slow)],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/declared-statuses.ts', 'test/support/published-facts.ts'],
    // By the content of each module; the next run transforms only what has changed.
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.cache/test-modules' },
    // The files of a worker share its process: loading the source again for each of them would take most of the time.
    isolate: false,
    // With the default of 16 MB, a tenth of the CPU time goes to garbage collection; with this, half of that.
    execArgv: [
      '--max-semi-space-size=64',
      ...optimizeLater,
      '--import',
      resolve(import.meta.dirname, 'support/stop-with-parent.mjs'),
    ],
    // A busy machine is no fault of what is tested: these limits end only what hangs.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { interval: 50, timeout: 300_000 } },
    // Half an hour off the hour, with summer time: whatever reads or writes a local time shows itself.
    env: { TZ: 'America/St_Johns' },
    // More than the cores of a small machine: half of what the tests do is wait.
    maxWorkers: isExhaustive ? 4 : 6,
    sequence: { sequencer: LongestFirst },
    reporters: [
      'default',
      new StallReporter({ nameAfterMs: 120_000, endAfterMs: 960_000 }),
      new SummaryReporter(),
      new ApiCoverageReporter({ isWhole: !isFiltered }),
    ],
  },
});
