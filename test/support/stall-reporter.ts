import { spawnSync } from 'node:child_process';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

export interface StallLimits {
  /** A test that runs for longer is named, again and again. */
  nameAfterMs: number;
  /** A run in which no test has ended for this long ends: longer than any test may take. */
  endAfterMs: number;
}

/**
 * Names the tests that run for long, and ends a run that stands still. Vitest ends a test that waits for too long, but not one that
 * never returns to the event loop, nor a file that is still loading.
 */
export class StallReporter implements Reporter {
  readonly #limits: StallLimits;
  readonly #running = new Map<TestCase | TestModule, number>();
  #lastEndAt = Date.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: StallLimits) {
    this.#limits = limits;
  }

  onTestRunStart(): void {
    this.#lastEndAt = Date.now();
    this.#timer = setInterval(() => this.#check(), this.#limits.nameAfterMs).unref();
  }

  onTestModuleQueued(module: TestModule): void {
    this.#running.set(module, Date.now());
  }

  onTestCaseReady(test: TestCase): void {
    this.#running.set(test, Date.now());
  }

  onTestCaseResult(test: TestCase): void {
    this.#running.delete(test);
    this.#lastEndAt = Date.now();
  }

  onTestModuleEnd(module: TestModule): void {
    this.#running.delete(module);
    this.#lastEndAt = Date.now();
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const { nameAfterMs, endAfterMs } = this.#limits;
    const now = Date.now();
    const isStalled = now - this.#lastEndAt >= endAfterMs;
    const running = [...this.#running].filter(
      ([one, since]) => isStalled || (isTest(one) && now - since >= nameAfterMs),
    );
    const lines = running.map(([one, since]) => `  ${nameOf(one)} (${Math.round((now - since) / 1000)} s)\n`);
    if (lines.length > 0) process.stderr.write(`Still running:\n${lines.join('')}`);
    if (!isStalled) return;
    process.stderr.write(`No test has ended for ${Math.round(endAfterMs / 1000)} s: the run is stopped.\n`);
    // A worker that never returns to its event loop does not see that its parent has ended.
    spawnSync('pkill', ['-KILL', '-P', String(process.pid)]);
    process.exit(1);
  }
}

const isTest = (one: TestCase | TestModule): one is TestCase => one.type === 'test';

const nameOf = (one: TestCase | TestModule): string =>
  isTest(one) ? `${one.module.relativeModuleId} > ${one.fullName}` : one.relativeModuleId;
