import type { Reporter, TestModule } from 'vitest/node';

/** Closes a run with one plain line that any machine can read: `N passed, N failed`. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandled.length;
    for (const module of modules) {
      const states = [...module.children.allTests()].map((test) => test.result().state);
      passed += states.filter((state) => state === 'passed').length;
      const bad = states.filter((state) => state === 'failed').length;
      // A file that cannot be loaded, or whose set-up fails, has no failed test of its own.
      failed += bad === 0 && module.state() === 'failed' ? 1 : bad;
    }
    // After the default reporter's own last words.
    process.once('exit', () => process.stdout.write(`${passed} passed, ${failed} failed\n`));
  }
}
