import { fstatSync } from 'node:fs';
import { hostname } from 'node:os';
import { isatty } from 'node:tty';
import { pino, type DestinationStream, type Logger } from 'pino';
import { createLineWriter, fileSink, pipeSink, type LineWriter } from './line-writer.ts';

export type Log = Logger;

const standardError = 2;
let writer: LineWriter | undefined;

/** Structured logs on standard error; fields that could hold a secret are redacted at every level. */
export function createLog(level: string, fields: Record<string, unknown> = {}): Log {
  const hidden = ['authorization', 'token', 'accessToken', 'refreshToken', 'secret', 'apiKey', 'key', 'password'];
  return pino(
    {
      level,
      base: { ...fields, pid: process.pid, host: hostname() },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: hidden.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[hidden]' },
    },
    destination(),
  );
}

/** For lines whose fields cannot hold a secret: redaction costs ten times the rest of a line. */
export const withoutRedaction = (log: Log): Log => log.child({}, { redact: [] });

/** A terminal shows each line at once. The reader of a pipe may stop, which must not stop the process. */
function destination(): DestinationStream {
  if (isatty(standardError)) return pino.destination({ fd: standardError, sync: true });
  return (writer ??= createLineWriter(isPipe() ? pipeSink(process.stderr) : fileSink(standardError)));
}

function isPipe(): boolean {
  try {
    const file = fstatSync(standardError);
    return file.isFIFO() || file.isSocket();
  } catch {
    return false;
  }
}

/** Resolves when all lines are written, or after the given time. */
export const flushLog = (timeoutMs: number): Promise<void> => writer?.flush(timeoutMs) ?? Promise.resolve();
