import { parseArgs } from 'node:util';
import { startStore } from './index.ts';

const { values } = parseArgs({ options: { 'data-dir': { type: 'string' }, socket: { type: 'string' } } });
const store = await startStore({
  ...(values['data-dir'] && { dataDir: values['data-dir'] }),
  ...(values.socket && { socketPath: values.socket }),
}).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return process.exit(1);
});
process.stdout.write(`ready ${store.uri('')}\n`);

const stop = (): void => void store.stop().then(() => process.exit(0));
process.once('SIGTERM', stop);
// Ctrl-C reaches the whole process group; a parent process stops this one last, by SIGTERM.
if (process.stdin.isTTY) process.once('SIGINT', stop);
else process.on('SIGINT', () => undefined);
