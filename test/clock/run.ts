import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { everyRun, fullRuns, fullRunsOnly, matrix, offsetOf, onRealTime, wholeRuns, type Run } from './runs.ts';

interface Result {
  passed: number;
  failed: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { whole: { type: 'boolean' }, at: { type: 'string' }, zone: { type: 'string' } },
});
const isWhole = values.whole === true;

function chosenRuns(): Run[] {
  if (values.at !== undefined) {
    const time = Date.parse(values.at);
    if (Number.isNaN(time)) throw new Error(`--at takes an instant such as 2027-02-28T18:50:00Z, not ${values.at}.`);
    return [{ at: new Date(time).toISOString(), zone: values.zone ?? 'UTC' }];
  }
  if (values.zone !== undefined) throw new Error('--zone needs --at.');
  return isWhole ? wholeRuns(new Date()) : matrix;
}

/** Every run ends with this line, whatever else it prints. */
function resultOf(output: string): Result {
  const [, passed, failed] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  return passed === undefined ? { passed: 0, failed: 1 } : { passed: Number(passed), failed: Number(failed) };
}

const failuresIn = (output: string): string => output.slice(Math.max(0, output.search(/^.*Failed (Suites|Tests) \d/m)));

async function realTimeCommands(folder: string): Promise<void> {
  const path = process.env['PATH'] ?? '';
  for (const name of onRealTime) {
    if (!path.split(delimiter).some((place) => existsSync(join(place, name)))) continue;
    const file = join(folder, name);
    await writeFile(file, `#!/bin/sh\nunset LD_PRELOAD DYLD_INSERT_LIBRARIES\nPATH='${path}' exec ${name} "$@"\n`);
    await chmod(file, 0o755);
  }
}

const folder = await mkdtemp(join(tmpdir(), 'clock-'));
await realTimeCommands(folder);

/** Runs Vitest under a moved clock, which all processes that run Node share. */
function perform(run: Run): Promise<Result> {
  const config = isWhole ? 'test/vitest.config.ts' : 'test/clock/vitest.config.ts';
  const isPart = matrix.includes(run) && !fullRuns.includes(run);
  const part = isPart ? [...everyRun, ...fullRunsOnly.flatMap((file) => ['--exclude', file])] : [];
  const files = positionals.length > 0 ? positionals : part;
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', config, ...files];
  const moved = ['-m', '--exclude-monotonic', '-f', offsetOf(run, new Date()), process.execPath];
  const browser = join(folder, 'chromium');
  const child = spawn('faketime', [...moved, ...vitest], {
    env: {
      ...process.env,
      TZ: run.zone,
      ...(isWhole && { EXHAUSTIVE: '1' }),
      NO_COLOR: '1',
      PATH: `${folder}${delimiter}${process.env['PATH']}`,
      ...(existsSync(browser) && { CHROMIUM: browser }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    let output = '';
    const note = (chunk: Buffer): void => {
      output += chunk.toString();
      if (isWhole) process.stdout.write(chunk);
    };
    child.stdout.on('data', note);
    child.stderr.on('data', note);
    child.once('error', reject);
    child.once('close', (code) => {
      const result = resultOf(output);
      if (code !== 0 && result.failed === 0) result.failed = 1;
      if (result.failed > 0 && !isWhole) process.stdout.write(failuresIn(output));
      resolve(result);
    });
  });
}

const total: Result = { passed: 0, failed: 0 };
const runs = chosenRuns();
// The longest first: at the end, one of them would run alone.
const waiting = runs.toSorted((a, b) => Number(fullRuns.includes(b)) - Number(fullRuns.includes(a)));
let done = 0;

async function work(): Promise<void> {
  for (let run = waiting.shift(); run; run = waiting.shift()) {
    const began = performance.now();
    const { passed, failed } = await perform(run);
    total.passed += passed;
    total.failed += failed;
    const seconds = Math.round((performance.now() - began) / 1000);
    const where = `[${++done}/${runs.length}] ${run.at} ${run.zone}`;
    process.stdout.write(`${where}: ${passed} passed, ${failed} failed (${seconds} s)\n`);
  }
}

// The whole suite uses all cores by itself; half of what a part does is wait.
await Promise.all(Array.from({ length: isWhole ? 1 : 4 }, work));
await rm(folder, { recursive: true, force: true });
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed > 0 ? 1 : 0;
