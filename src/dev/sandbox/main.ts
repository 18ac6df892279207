import { parseArgs } from 'node:util';
import { startSandbox } from './index.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    host: { type: 'string' },
    'data-dir': { type: 'string' },
    'allow-host': { type: 'string', multiple: true },
  },
});
const sandbox = await startSandbox({
  port: Number(values.port ?? 0),
  host: values.host,
  dataDir: values['data-dir'],
  allowedHosts: values['allow-host'],
});
process.stdout.write(`ready ${sandbox.url}\n`);

const stop = (): void => void sandbox.stop().then(() => process.exit(0));
process.once('SIGTERM', stop).once('SIGINT', stop);
