import { startApp } from './app.ts';
import { readConfig } from './config/config.ts';
import { createLog } from './telemetry/log.ts';

async function main(): Promise<void> {
  const config = readConfig();
  const log = createLog(config.logLevel);
  const app = await startApp(config, log);
  log.info({ role: config.role, port: app.port, host: config.host }, 'ready');
  const stop = async (signal: string): Promise<void> => {
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), config.shutdown.shutdownMs).unref();
    await app.stop();
    process.exit(0);
  };
  process.once('SIGTERM', (signal) => void stop(signal));
  process.once('SIGINT', (signal) => void stop(signal));
}

main().catch((error: unknown) => {
  const isBusy = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  const message = error instanceof Error ? error.message : String(error);
  const text = isBusy ? `The port is in use (${message}). Set PORT to a free one.` : message;
  process.stderr.write(`${text}\n`);
  process.exit(1);
});
