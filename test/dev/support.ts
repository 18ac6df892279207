import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { moduleArgs } from '../support/compiled.ts';
import { freePort } from '../support/free-port.ts';
import { guarded } from '../support/guarded.ts';

export const root = resolve(import.meta.dirname, '../..');

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Run {
  process: ChildProcess;
  ended: Promise<Ended>;
  /** Resolves once a text has been printed; fails when the process ends before. */
  printed: (text: string) => Promise<void>;
}

/** The environment of a fresh machine: nothing of the project is configured. */
export function freshEnv(extra: Record<string, string>): NodeJS.ProcessEnv {
  const ours =
    /^(MONGODB_URI|REDIS_URL|PORT|DATA_DIR|ENCRYPTION_KEYS|SEALING_KEYS|EXHAUSTIVE|TEST_.*|NODE_ENV|VITEST.*|npm_.*)$/;
  const kept = Object.entries(process.env).filter(([name]) => !ours.test(name));
  return { ...Object.fromEntries(kept), ...extra };
}

export function run(args: string[], env: Record<string, string> = {}): Run {
  // On a busy machine a start takes longer than usual.
  const whole = freshEnv({ START_TIMEOUT_SECONDS: '300', ...env });
  const child = guarded(spawn(process.execPath, args, { cwd: root, env: whole, stdio: ['ignore', 'pipe', 'pipe'] }));
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  const printed = (text: string): Promise<void> =>
    new Promise((done, fail) => {
      const look = (): void => void (stdout.includes(text) && done());
      child.stdout.on('data', look);
      void ended.then(() => fail(new Error(`It ended without saying ${text}:\n${stdout}\n${stderr}`)));
      look();
    });
  return { process: child, ended, printed };
}

/** As `npm start` runs it. */
export const npmStart = (env: Record<string, string>): Run => run(['src/dev/setup.mjs', 'start'], env);
export const start = (env: Record<string, string>): Run => run(moduleArgs('src/dev/start.ts'), env);

/** As `npm run cli` runs it. */
export const npmCli = (args: string[], env: Record<string, string>): Promise<Ended> =>
  run(['src/dev/setup.mjs', 'cli', ...args], env).ended;
export const cli = (args: string[], env: Record<string, string>): Promise<Ended> =>
  run([...moduleArgs('src/dev/cli.ts'), ...args], env).ended;

/** As the image runs it. */
export const imageCli = (args: string[], env: Record<string, string>): Promise<Ended> =>
  run([...moduleArgs('src/cli.ts'), ...args], env).ended;

/** A port with a free one after it. */
export const freePair = (): Promise<number> => freePort(2);

/** The processes that a start has started: its children, by the system's own list. */
export async function childrenOf(pid: number): Promise<number[]> {
  return (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').filter(Boolean).map(Number);
}

/** False for a process that has ended, also before its exit status is read. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

export async function untilGone(pids: number[], limitMs = 120_000): Promise<number[]> {
  const deadline = Date.now() + limitMs;
  while (pids.some(isAlive) && Date.now() < deadline) await new Promise((done) => setTimeout(done, 50));
  return pids.filter(isAlive);
}

export const readDemoFile = async (dataDir: string): Promise<Record<string, never>> =>
  JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as Record<string, never>;
