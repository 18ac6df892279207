import { randomUUID } from 'node:crypto';

/** The caller's own request id when it is safe to log and echo, else a new one. */
export const requestIdOf = (header: string | string[] | undefined): string =>
  typeof header === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(header) ? header : randomUUID();
