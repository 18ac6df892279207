import { verify } from './verify.ts';

const stopping = new AbortController();
// A second signal ends the process at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    process.stderr.write('Stopping: what was created is removed first.\n');
    stopping.abort();
  });
}

process.exitCode = await verify(process.argv.slice(2), {
  environment: process.env,
  write: (text) => void process.stdout.write(text),
  warn: (text) => void process.stderr.write(text),
  signal: stopping.signal,
});
