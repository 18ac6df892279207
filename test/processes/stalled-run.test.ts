import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshEnv, isAlive, root } from '../dev/support.ts';
import { guarded } from '../support/guarded.ts';

it('a test run in which a test never ends names it and ends, with its workers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stalled-'));
  const reporter = join(root, 'test/support/stall-reporter.ts');
  const config = `
    import { StallReporter } from ${JSON.stringify(reporter)};
    export default {
      root: ${JSON.stringify(folder)},
      test: { globals: true, isolate: false, reporters: [new StallReporter({ nameAfterMs: 200, endAfterMs: 3000 })] },
    };
  `;
  const test = `
    it('ends', () => undefined);
    it('never ends', async () => {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      process.stderr.write('worker ' + process.pid + '\\n');
      for (;;);
    });
  `;
  await Promise.all([
    writeFile(join(folder, 'vitest.config.ts'), config),
    writeFile(join(folder, 'hangs.test.ts'), test),
  ]);
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--config', join(folder, 'vitest.config.ts'), '--disable-console-intercept'];
  const child = guarded(
    spawn(process.execPath, args, { cwd: root, env: freshEnv({}), stdio: ['ignore', 'ignore', 'pipe'] }),
  );
  let written = '';
  child.stderr?.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(code).toBe(1);
  expect(written).toMatch(/^Still running:\n(  .*\n)*  hangs\.test\.ts > never ends \(\d+ s\)$/m);
  expect(written).toMatch(/^No test has ended for 3 s: the run is stopped\.$/m);
  const [, pid] = /^worker (\d+)$/m.exec(written) ?? [];
  await expect.poll(() => isAlive(Number(pid))).toBe(false);
});
