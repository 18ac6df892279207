import { pino, type Logger } from 'pino';

export type Log = Logger;

/** Structured logs on standard error; fields that could hold a secret are redacted at every level. */
export function createLog(level: string): Log {
  const hidden = ['authorization', 'token', 'accessToken', 'refreshToken', 'secret', 'apiKey', 'key', 'password'];
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: hidden.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[hidden]' },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}
