import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from './support.ts';

let project: string;
let bin: string;

/** A project of which only the setup is there, on a machine of which only the shell is. */
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'setup-'));
  bin = join(project, 'bin');
  for (const folder of ['bin', 'src/dev', 'node_modules', 'test/bench'])
    mkdirSync(join(project, folder), { recursive: true });
  for (const file of ['setup.mjs', 'compile.mjs', 'temporary-folder.mjs'])
    copyFileSync(join(root, 'src/dev', file), join(project, 'src/dev', file));
  symlinkSync('/bin/sh', join(bin, 'sh'));
  symlinkSync(process.execPath, join(bin, 'node'));
  lock({});
});

afterEach(() => rmSync(project, { recursive: true }));

const lock = (packages: object): void =>
  writeFileSync(join(project, 'package-lock.json'), JSON.stringify({ packages }));

function program(name: string, script: string): void {
  const path = join(bin, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

function setup(
  args: string[],
  env: Record<string, string> = {},
): { status: number | null; stdout: string; stderr: string } {
  const options = { cwd: project, encoding: 'utf8', env: { PATH: bin, CI: 'true', ...env } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['src/dev/setup.mjs', ...args], options);
  return { status, stdout, stderr };
}

const measurement = (): void =>
  writeFileSync(join(project, 'test/bench/speed.ts'), "process.stdout.write('measured\\n');");

describe('what runs before anything is installed', () => {
  it('says in one sentence that Redis is missing where it cannot be installed', () => {
    const { status, stdout, stderr } = setup(['start']);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^Redis is missing and .*: install redis-server .* REDIS_URL .*\.\n$/);
  });

  it('closes a test run that could not begin with the line that is looked for', () => {
    expect(setup(['test'])).toMatchObject({ status: 1, stdout: '0 passed, 1 failed\n' });
    expect(setup(['check'])).toMatchObject({ status: 1, stdout: '0 passed, 1 failed\n' });
  });

  it('gives a test run a temporary folder, removes it at the end, and those of runs that were killed', () => {
    const temporary = join(project, 'temporary');
    const ended = spawnSync(process.execPath, ['-e', '']).pid;
    for (const name of [`social-ads-run-${ended}`, `social-ads-run-${process.pid}`, 'other'])
      mkdirSync(join(temporary, name, 'redis-1'), { recursive: true });
    mkdirSync(join(project, 'node_modules/vitest'));
    writeFileSync(
      join(project, 'node_modules/vitest/vitest.mjs'),
      "import { mkdtempSync } from 'node:fs'; import { tmpdir } from 'node:os'; console.log(mkdtempSync(tmpdir() + '/a-'));",
    );
    const { status, stdout } = setup(['test'], { REDIS_URL: 'redis://elsewhere', TMPDIR: temporary });
    expect(status).toBe(0);
    expect(stdout).toMatch(/\/temporary\/social-ads-run-\d+\/a-\w+\n$/);
    expect(readdirSync(temporary).toSorted()).toEqual(['other', `social-ads-run-${process.pid}`]);
  });

  it('gives a test run an empty temporary folder, even if an earlier one had the same process id', () => {
    mkdirSync(join(project, 'node_modules/vitest'));
    writeFileSync(
      join(project, 'node_modules/vitest/vitest.mjs'),
      "import { readdirSync } from 'node:fs'; import { tmpdir } from 'node:os'; console.log(readdirSync(tmpdir()));",
    );
    const script = `${process.execPath} -e 'fs.mkdirSync(process.argv[1], { recursive: true })' "$TMPDIR/social-ads-run-$$/redis-1"
      exec ${process.execPath} src/dev/setup.mjs test`;
    const env = { PATH: bin, CI: 'true', REDIS_URL: 'redis://elsewhere', TMPDIR: join(project, 'temporary') };
    expect(spawnSync('/bin/sh', ['-c', script], { cwd: project, encoding: 'utf8', env }).stdout).toBe('[]\n');
  });

  it("installs Redis with the system's package manager", () => {
    program('apt-get', `[ "$1" = install ] && ln -s /bin/sh ${bin}/redis-server`);
    symlinkSync('/bin/ln', join(bin, 'ln'));
    program('sudo', 'shift; exec "$@"');
    program('true', 'exit 0');
    expect(setup(['bench']).stderr).toContain('Installing Redis with apt-get');
    expect(setup(['bench']).stderr).not.toContain('Redis');
  });

  it('is content with Valkey, or with a Redis elsewhere', () => {
    expect(setup(['bench'], { REDIS_URL: 'redis://elsewhere' }).stderr).not.toContain('Redis');
    program('valkey-server', 'exit 0');
    expect(setup(['bench']).stderr).not.toContain('Redis');
  });

  it('says in one sentence that the registry cannot be reached', () => {
    lock({ 'node_modules/left': { version: '1.0.0' } });
    program('npm', 'echo "npm error code ENOTFOUND" >&2; exit 1');
    const { status, stdout, stderr } = setup(['cli', 'users']);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr.split('\n')[1]).toMatch(/the npm registry cannot be reached/);
  });

  it('installs packages only when the lock file names others', () => {
    lock({ 'node_modules/left': { version: '1.0.0' }, 'node_modules/right': { version: '2.0.0', optional: true } });
    program('npm', `echo installed >> ${project}/npm.log; exit 0`);
    expect(setup(['nothing']).stderr).toContain('Installing npm packages');
    const installed = JSON.stringify({ packages: { 'node_modules/left': { version: '1.0.0' } } });
    writeFileSync(join(project, 'node_modules/.package-lock.json'), installed);
    expect(setup(['nothing']).stderr).not.toContain('Installing npm packages');
  });

  it('names what there is when asked for something else', () => {
    program('redis-server', 'exit 0');
    expect(setup(['nothing']).stderr).toMatch(
      /^Unknown command nothing: start, test, test:clock, check, cli, upstream, bench or chaos\.\n$/,
    );
    measurement();
    expect(setup(['bench', 'weight']).stderr).toBe(
      'There is nothing of that name in test/bench; there are speed.ts.\n',
    );
  });
});
