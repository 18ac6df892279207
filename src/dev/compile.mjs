// Compiles the sources once for every process that runs them: one that compiles its own takes twice the time and memory.
// Plain JavaScript, because it runs before anything is compiled.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import nodeModule from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const cache = join(root, 'node_modules/.cache/compiled');
const project = 'tsconfig.run.json';
const plain = 'src/dev/stop-with-parent.mjs';
const compiler = join(root, 'node_modules/typescript');

const filesIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
    .toSorted();

/** Changes with everything that the result depends on. */
function keyOfSources() {
  const hash = createHash('sha256');
  for (const path of [...filesIn('src'), project, 'tsconfig.json', join('node_modules/typescript', 'package.json')])
    hash.update(path).update(readFileSync(join(root, path)));
  return hash.digest('hex').slice(0, 16);
}

const holderOf = (folder) => join(folder, 'in-use', String(process.pid));

/** Keeps a folder until this process ends; false if it is not there. */
function hold(folder) {
  try {
    writeFileSync(holderOf(folder), '');
    return true;
  } catch {
    return false;
  }
}

export function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** A running process may load more modules at any time. */
function isInUse(folder) {
  try {
    return readdirSync(join(folder, 'in-use')).some((pid) => isRunning(Number(pid)));
  } catch {
    return false;
  }
}

async function compileInto(folder) {
  const draft = `${folder}.${process.pid}`;
  mkdirSync(join(draft, 'in-use'), { recursive: true });
  hold(draft);
  try {
    const args = [join(compiler, 'bin/tsc'), '-p', project, '--outDir', draft];
    await promisify(execFile)(process.execPath, args, { cwd: root });
    copyFileSync(join(root, plain), join(draft, plain));
    // Below node_modules, the package.json of the project does not apply.
    writeFileSync(join(draft, 'package.json'), '{"type":"module"}');
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process may have been faster.
    if (!hold(folder)) throw new Error(error.stdout || error.message, { cause: error });
  }
}

function removeOthers(folder) {
  for (const other of readdirSync(cache).map((name) => join(cache, name)))
    if (other !== folder && !isInUse(other)) rmSync(other, { recursive: true, force: true });
}

/** The folder of the compiled sources, for as long as this process runs; compiles them if they have changed. */
async function compiledSources() {
  const folder = join(cache, keyOfSources());
  if (!hold(folder)) {
    await compileInto(folder);
    removeOthers(folder);
  }
  process.once('exit', () => rmSync(holderOf(folder), { force: true }));
  return folder;
}

/** Runs a module of this folder in this process. */
export async function runCompiled(file, fail) {
  const folder = await compiledSources().catch((error) => fail(`The sources cannot be compiled:\n${error.message}`));
  // Child processes inherit it. Node 20 has no such cache.
  process.env.NODE_COMPILE_CACHE ||= join(folder, 'compile-cache');
  nodeModule.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(join(folder, 'src/dev', file)).href);
}
