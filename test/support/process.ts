import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { apisOf, type TestApp } from './app.ts';
import { moduleArgs } from './compiled.ts';
import { freePort } from './free-port.ts';

export interface ServiceProcess extends Pick<TestApp, 'call' | 'graphql'> {
  url: string;
  process: ChildProcess;
  /** What it wrote to its log. */
  log: () => string;
  end: (signal: NodeJS.Signals) => Promise<number | null>;
}

/** The service as an operator runs it: a process of its own on the given stores. It is up when `probe` says so. */
export async function startProcess(
  env: Record<string, string>,
  probe: '/readyz' | '/healthz' = '/readyz',
): Promise<ServiceProcess> {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    ['--import', './test/support/stop-with-parent.mjs', ...moduleArgs('src/main.ts')],
    {
      env: { ...process.env, ...env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    },
  );
  let written = '';
  child.stderr?.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const url = `http://127.0.0.1:${port}`;
  try {
    await ready(url + probe, child, () => written);
  } catch (error) {
    // No other process knows it, so none would end it.
    child.kill('SIGKILL');
    throw error;
  }
  return {
    url,
    process: child,
    ...apisOf(url),
    log: () => written,
    async end(signal) {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill(signal);
        await ended;
      }
      return child.exitCode;
    },
  };
}

async function ready(url: string, child: ChildProcess, log: () => string): Promise<void> {
  const seconds = Number(process.env['START_TIMEOUT_SECONDS'] || 300);
  let last = '';
  for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
    if (child.exitCode !== null) throw new Error(`The process ended: ${log()}`);
    const answer = await fetch(url).catch((error: Error) => error);
    if (answer instanceof Response && answer.ok) return;
    last = answer instanceof Error ? `${answer.message}: ${String(answer.cause)}` : await answer.text();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`The process was not ready in ${seconds} s: ${last} ${log()}`);
}
