// Runs before anything is installed: plain JavaScript, only Node's built-in modules.
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useTemporaryFolder } from './temporary-folder.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const minimum = [20, 19];

const say = (text) => process.stderr.write(`${text}\n`);
const [command = 'start', ...args] = process.argv.slice(2);

const fail = (text) => {
  say(text);
  // Ensures that a test run prints a last line.
  if (['test', 'check', 'test:clock'].includes(command)) process.stdout.write('0 passed, 1 failed\n');
  process.exit(1);
};

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > minimum[0] || (major === minimum[0] && minor >= minimum[1])) return;
  fail(`Node ${minimum.join('.')} or later is needed; this is ${process.versions.node}.`);
}

const packagesOf = (...path) => {
  try {
    return JSON.parse(readFileSync(join(root, ...path), 'utf8')).packages ?? {};
  } catch {
    return {};
  }
};

/** Compares npm's record of the installation with the lock file, because copying directories changes dates. */
function arePackagesInstalled(folder) {
  const requested = Object.entries(packagesOf(folder, 'package-lock.json')).filter(([path]) => path !== '');
  const installed = packagesOf(folder, 'node_modules', '.package-lock.json');
  return requested.every(([path, { version, optional }]) => optional || installed[path]?.version === version);
}

function installPackages(folder = '.') {
  if (arePackagesInstalled(folder)) return;
  say(`Installing npm packages${folder === '.' ? '' : ` of ${folder}`} (about half a minute) ...`);
  const quick = ['--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];
  const { status, stderr } = spawnSync(
    'npm',
    ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error', ...quick],
    {
      cwd: join(root, folder),
      stdio: ['ignore', 2, 'pipe'],
      encoding: 'utf8',
      shell: process.platform === 'win32',
      // npm keeps its cache under HOME, which may be missing.
      env: process.env.HOME ? process.env : { ...process.env, HOME: tmpdir() },
    },
  );
  if (status === 0) return;
  if (/E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH)|network/i.test(stderr ?? '')) {
    fail(
      'The npm packages could not be installed, because the npm registry cannot be reached: connect and run this again.',
    );
  }
  process.stderr.write(stderr ?? '');
  fail('The npm packages could not be installed; npm says why above.');
}

const has = (command) => spawnSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' }).status === 0;

// Runlevel 1 keeps the package from starting its own server.
const aptInstall = (name) => {
  const install = `RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq ${name}`;
  return ['sh', '-c', `${install} || { apt-get update -qq && ${install}; }`];
};
const managers = ['apt-get', 'dnf', 'apk', 'brew'];
const commands = {
  'apt-get': aptInstall,
  dnf: (name) => ['dnf', 'install', '-y', '-q', name],
  apk: (name) => ['apk', 'add', '--quiet', name],
  brew: (name) => ['brew', 'install', '--quiet', name],
};

/** Runs as root directly or through passwordless sudo; Homebrew needs neither. */
function asRoot(name, command) {
  if (name === 'brew' || process.getuid?.() === 0) return command;
  return spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0 ? ['sudo', '-n', ...command] : undefined;
}

/** Returns why it could not be installed; undefined if it is there now. */
function install(title, packages, isThere) {
  if (isThere()) return undefined;
  const manager = managers.find(has);
  const command = manager && asRoot(manager, commands[manager](packages[manager]));
  if (command) {
    say(`Installing ${title} with ${manager} ...`);
    spawnSync(command[0], command.slice(1), { stdio: ['ignore', 2, 2] });
  }
  if (isThere()) return undefined;
  return command ? `${manager} could not install it` : 'it cannot be installed from here';
}

function installRedis() {
  const packages = { 'apt-get': 'redis-server', dnf: 'valkey', apk: 'redis', brew: 'redis' };
  const isThere = () => Boolean(process.env.REDIS_URL) || has('redis-server') || has('valkey-server');
  const problem = install('Redis', packages, isThere);
  if (!problem) return;
  fail(`Redis is missing and ${problem}: install redis-server (or valkey-server), or set REDIS_URL to a running one.`);
}

function installFaketime() {
  const packages = { 'apt-get': 'faketime', dnf: 'libfaketime', apk: 'libfaketime', brew: 'libfaketime' };
  const problem = install('faketime', packages, () => has('faketime'));
  if (problem) fail(`faketime is missing and ${problem}: install it to run tests at other times.`);
}

const isDebian = () => {
  try {
    return /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false;
  }
};

/** Debian packages of tests that are skipped without them, with the programs that they contain. */
const testPackages = {
  chromium: ['chromium', 'chromium-browser'],
  'redis-sentinel': ['redis-sentinel'],
  openssl: ['openssl'],
  prometheus: ['promtool'],
  'nginx-light': ['nginx'],
};

/** On other systems the packages of these names are different. */
function installTestPackages() {
  if (!has('apt-get') || !isDebian()) return;
  for (const [name, programs] of Object.entries(testPackages)) {
    const command = programs.some(has) ? undefined : asRoot('apt-get', aptInstall(name));
    if (!command) continue;
    say(`Installing ${name} with apt-get ...`);
    spawnSync(command[0], command.slice(1), { stdio: ['ignore', 2, 2] });
  }
}

function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
    const pass = (signal) => child.kill(signal);
    process.on('SIGTERM', pass).on('SIGINT', pass);
    child.on('error', () => resolve(1));
    child.on('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0)));
  });
}

const bin = (name) => join(root, 'node_modules', '.bin', name);
const vitest = (args) =>
  run(process.execPath, [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--config',
    'test/vitest.config.ts',
    ...args,
  ]);

const steps = [
  ['format', bin('oxfmt'), ['--check', 'src', 'test']],
  ['lint', bin('oxlint'), ['--type-aware', '--deny-warnings', 'src', 'test']],
  ['types', bin('tsc'), ['--noEmit']],
  ['generated files', process.execPath, ['--import', 'tsx', 'src/dev/generate/generate.ts', '--check']],
];

async function check(args) {
  // Runs all cases, without sampling or skipping slow ones.
  process.env.EXHAUSTIVE = '1';
  for (const [name, command, commandArgs] of steps) {
    say(`check: ${name}`);
    if ((await run(command, commandArgs)) !== 0) {
      say(`check: ${name} failed`);
      process.stdout.write('0 passed, 1 failed\n');
      return 1;
    }
  }
  say('check: tests');
  return vitest(args);
}

/** Runs the programs of a directory in sequence, or only those named, with the options that follow. */
async function runPrograms(folder, given) {
  const firstOption = given.findIndex((arg) => arg.startsWith('-'));
  const names = firstOption < 0 ? given : given.slice(0, firstOption);
  const options = firstOption < 0 ? [] : given.slice(firstOption);
  const isProgram = (file) => file.endsWith('.ts') && !file.endsWith('.test.ts');
  const all = readdirSync(join(root, folder)).filter(isProgram);
  const chosen = names.length > 0 ? all.filter((file) => names.some((name) => file.startsWith(name))) : all;
  if (chosen.length === 0) fail(`There is nothing of that name in ${folder}; there are ${all.join(', ')}.`);
  for (const file of chosen) {
    const code = await run(process.execPath, ['--import', 'tsx', join(folder, file), ...options]);
    if (code !== 0) return code;
  }
  return 0;
}

async function inProcess(file) {
  const { runCompiled } = await import('./compile.mjs');
  await runCompiled(file, fail);
}

/** The parent and its parent, if the system exposes them: both change if npm, or the shell that it uses, is killed. */
function lineage() {
  try {
    const [, parents = ''] = readFileSync(`/proc/${process.ppid}/stat`, 'utf8').split(') ');
    return `${process.ppid} ${parents.split(' ')[1]}`;
  } catch {
    return String(process.ppid);
  }
}

/** npm passes signals on, but cannot if it is killed: sends this process the SIGTERM that it would have passed on. */
function stopWithNpm() {
  const before = lineage();
  const watch = setInterval(() => {
    if (lineage() === before) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  watch.unref();
}

requireNode();
if (process.env.npm_lifecycle_event) stopWithNpm();
if (['test', 'test:clock', 'check', 'bench', 'chaos'].includes(command)) useTemporaryFolder();
installPackages();
// Generators and clients for tests only; the service never loads them.
if (['test', 'check', 'test:clock'].includes(command)) installPackages('test/clients');
if (command === 'bench' && /^$|\btrans/.test(args.join(' '))) installPackages('test/bench/rivals');
if (!['cli', 'upstream'].includes(command)) installRedis();
if (command === 'check') installTestPackages();
if (command === 'test:clock') installFaketime();
process.chdir(root);
if (command === 'start') await inProcess('start.js');
else if (command === 'cli' || command === 'upstream') {
  process.argv.splice(2, 1);
  await inProcess(command === 'cli' ? 'cli.js' : 'upstream/main.js');
} else if (command === 'test') process.exitCode = await vitest(args);
else if (command === 'test:clock')
  process.exitCode = await run(process.execPath, ['--import', 'tsx', 'test/clock/run.ts', ...args]);
else if (command === 'check') process.exitCode = await check(args);
else if (command === 'bench') process.exitCode = await runPrograms('test/bench', args);
else if (command === 'chaos') process.exitCode = await runPrograms('test/chaos', args);
else fail(`Unknown command ${command}: start, test, test:clock, check, cli, upstream, bench or chaos.`);
