import { startApp, type App } from './app.ts';
import { readConfig, startMode, type Config } from './config/config.ts';
import { createLog, flushLog, type Log } from './telemetry/log.ts';

/** Lines that have not been read by then are lost. */
const flushMs = 1_000;

async function exit(code: number): Promise<never> {
  await flushLog(flushMs);
  process.exit(code);
}

async function main(config: Config, log: Log): Promise<void> {
  let app: App | undefined;
  const stop = async (code: number): Promise<void> => {
    setTimeout(() => process.exit(1), config.shutdown.shutdownMs).unref();
    await app?.stop();
    await exit(code);
  };
  app = await startApp(config, log, (error) => {
    log.fatal(error.message);
    void stop(1);
  });
  log.info({ port: app.port, listen: config.host }, 'ready');
  const onSignal = (signal: string): void => {
    log.info({ signal }, 'stopping');
    void stop(0);
  };
  process.once('SIGTERM', onSignal);
  process.once('SIGINT', onSignal);
}

/** In production a line of the log, elsewhere a sentence. */
function reportFailure(error: unknown, log: Log): Promise<never> {
  const isBusy = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  const message = error instanceof Error ? error.message : String(error);
  const text = isBusy ? `The port is in use (${message}). Set PORT to a free one.` : message;
  if (startMode().isProduction) log.fatal(text);
  else process.stderr.write(`${text}\n`);
  return exit(1);
}

try {
  const config = readConfig();
  const log = createLog(config.logLevel, { role: config.role });
  await main(config, log).catch((error: unknown) => reportFailure(error, log));
} catch (error) {
  await reportFailure(error, createLog('fatal', { role: startMode().role }));
}
