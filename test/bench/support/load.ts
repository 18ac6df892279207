import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';
import { moduleArgs } from '../../support/compiled.ts';
import { freePort } from '../../support/free-port.ts';

export interface Measured {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Processor time of the server for one run. */
  cpuMs: number;
  /** Memory of the server after the round. */
  rssMb: number;
}

export interface Request {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  body?: object;
}

export interface Server {
  pool: Pool;
  pid: number;
  stop: () => Promise<void>;
}

const endOf = (child: ChildProcess) => async (): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
};

/** A program as a process of its own on a free port. It is up when it answers /readyz, which servers that have none refuse. */
export async function startServer(args: string[], env: Record<string, string>, connections: number): Promise<Server> {
  const port = await freePort();
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  const isUp = async (): Promise<boolean> =>
    ((await fetch(`${url}/readyz`).catch(() => undefined))?.status ?? 500) < 500;
  for (let tries = 0; !(await isUp()); tries++) {
    if (tries > 400 || child.exitCode !== null) throw new Error(`${args.join(' ')} did not start`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const pool = new Pool(url, { connections, pipelining: 1 });
  const end = endOf(child);
  return { pool, pid: child.pid ?? 0, stop: () => pool.destroy().then(end) };
}

/** The local store as a process of its own, keeping its data in a folder as `npm start` does. */
export async function startStoreProcess(
  folder: string,
): Promise<{ uri: string; pid: number; stop: () => Promise<void> }> {
  const args = [...moduleArgs('src/dev/mongo-server/main.ts'), '--data-dir', folder];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { uri: line.replace('ready ', ''), pid: child.pid ?? 0, stop: endOf(child) };
}

export async function send({ pool }: Server, key: string, { method, path, body }: Request): Promise<unknown> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const answer = await pool.request({ method, path, headers, body: body && JSON.stringify(body) });
  const text = await answer.body.text();
  if (answer.statusCode !== 200 || text.startsWith('{"errors"')) throw new Error(`${path} answered ${text}`);
  return JSON.parse(text);
}

/** What is measured: closed loops, each of which repeats a run when the last one has ended. */
export interface Subject {
  server: Server;
  loops: (() => Promise<unknown>)[];
}

export interface Compared extends Measured {
  /** Figures of the first subject, divided by those of this one. */
  ratio: { perSecond: number; cpuMs: number };
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/**
 * Medians of rounds in which the subjects take turns, in reverse order every second time, and of each round's ratio, so that
 * other load affects all alike.
 */
export async function compareInTurns(
  subjects: Subject[],
  rounds: number,
  ms: number,
  warmUpRuns = 0,
): Promise<Compared[]> {
  const results: Measured[][] = subjects.map(() => []);
  for (const subject of subjects) await measure(subject, ms, warmUpRuns);
  const order = [...subjects.entries()];
  for (let round = 0; round < rounds; round++) {
    for (const [at, subject] of order) results[at]?.push(await measure(subject, ms));
    order.reverse();
  }
  const [first = []] = results;
  return results.map((own) => {
    const ratio = (member: keyof Measured): number =>
      median(own.map((result, round) => (first[round]?.[member] ?? 0) / result[member]));
    const middle = (member: keyof Measured): number => median(own.map((result) => result[member]));
    return {
      perSecond: middle('perSecond'),
      p50Ms: middle('p50Ms'),
      p99Ms: middle('p99Ms'),
      cpuMs: middle('cpuMs'),
      rssMb: middle('rssMb'),
      ratio: { perSecond: ratio('perSecond'), cpuMs: ratio('cpuMs') },
    };
  });
}

async function measure({ server, loops }: Subject, ms: number, leastRuns = 0): Promise<Measured> {
  const took: number[] = [];
  const cpuBefore = await cpuMsOf(server.pid);
  const started = performance.now();
  const loop = async (run: () => Promise<unknown>): Promise<void> => {
    while (performance.now() - started < ms || took.length < leastRuns) {
      const sent = performance.now();
      await run();
      took.push(performance.now() - sent);
    }
  };
  await Promise.all(loops.map(loop));
  const seconds = (performance.now() - started) / 1000;
  const cpuMs = ((await cpuMsOf(server.pid)) - cpuBefore) / took.length;
  took.sort((a, b) => a - b);
  const percentile = (part: number): number => took[Math.floor(took.length * part)] ?? 0;
  return {
    perSecond: took.length / seconds,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    cpuMs,
    rssMb: await rssMbOf(server.pid),
  };
}

/** Missing where there is no /proc, like the processor time. */
export async function rssMbOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** Linux counts in hundredths of a second; elsewhere the figure is missing. */
async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
