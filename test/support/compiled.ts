import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '../..');
const folder = join(root, 'node_modules/.cache/test-children');
/** What tests start as child processes, themselves or through `npm start`. */
const programs = [
  'src/main.ts',
  'src/cli.ts',
  'src/dev/start.ts',
  'src/dev/service.ts',
  'src/dev/cli.ts',
  'src/dev/mongo-server/main.ts',
  'src/dev/sandbox/main.ts',
  'test/webhooks/crash-at-step.child.ts',
];
/** They look for files of their own beside their code, or are so large that only those who use them should read them. */
const external = ['ioredis', 'pino', 'msgpackr', '@graphql-yoga/render-graphiql'];

export interface Compiled {
  remove: () => void;
}

/** Compiles each module to one file, as the image has them: what benchmarks start. */
export const compile = (): Promise<Compiled> =>
  compileWith(async (outDir) => {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const args = ['-p', 'test/tsconfig.children.json', '--outDir', outDir];
    await promisify(execFile)(process.execPath, [compiler, ...args], { cwd: root });
  });

/**
 * Compiles each program to one file with its packages: what tests start. Loading a thousand files takes most of the start
 * of a process.
 */
export const bundle = (): Promise<Compiled> =>
  compileWith(async (outdir) => {
    const input = { absWorkingDir: root, entryPoints: programs, bundle: true, external, logLevel: 'error' } as const;
    const output = { outbase: '.', outdir, platform: 'node', target: 'node20', format: 'esm' } as const;
    // CommonJS packages require each other.
    const js =
      "import { createRequire as makeRequire } from 'node:module';\nconst require = makeRequire(import.meta.url);";
    await build({ ...input, ...output, banner: { js } });
  });

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function compileWith(run: (outDir: string) => Promise<void>): Promise<Compiled> {
  const own = join(folder, String(process.pid));
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    if (!isRunning(Number(name))) rmSync(join(folder, name), { recursive: true, force: true });
  }
  await run(own);
  const plain = 'src/dev/stop-with-parent.mjs';
  await copyFile(join(root, plain), join(own, plain));
  // Below node_modules, the package.json of the project does not apply.
  await writeFile(join(own, 'package.json'), '{"type":"module"}');
  process.env['TEST_CHILDREN'] = own;
  return { remove: () => rmSync(own, { recursive: true, force: true }) };
}

/** Arguments with which Node runs a program of the project; where nothing is compiled, tsx compiles it. */
export function moduleArgs(path: string): string[] {
  const compiled = process.env['TEST_CHILDREN'];
  return compiled ? [join(compiled, path.replace(/\.ts$/, '.js'))] : ['--import', 'tsx', join(root, path)];
}
