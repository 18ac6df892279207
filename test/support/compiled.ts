import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '../..');
const folder = join(root, 'node_modules/.cache/test-children');
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Compiles what tests start as child processes, once a run: a child that compiles itself takes twice the time. */
export async function compile(): Promise<{ remove: () => void }> {
  const own = join(folder, String(process.pid));
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    if (!isRunning(Number(name))) rmSync(join(folder, name), { recursive: true, force: true });
  }
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', 'test/tsconfig.children.json', '--outDir', own], {
    cwd: root,
  });
  const plain = 'src/dev/stop-with-parent.mjs';
  await copyFile(join(root, plain), join(own, plain));
  // Below node_modules, the package.json of the project does not apply.
  await writeFile(join(own, 'package.json'), '{"type":"module"}');
  process.env['TEST_CHILDREN'] = own;
  return { remove: () => rmSync(own, { recursive: true, force: true }) };
}

/** Arguments with which Node runs a module of the project; programs outside a test run let tsx compile it. */
export function moduleArgs(path: string): string[] {
  const compiled = process.env['TEST_CHILDREN'];
  return compiled ? [join(compiled, path.replace(/\.ts$/, '.js'))] : ['--import', 'tsx', join(root, path)];
}
