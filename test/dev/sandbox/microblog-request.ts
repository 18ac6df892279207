import type { Received } from '../../../src/dev/sandbox/platform.ts';

/** A request as the sandbox hands it to a platform. */
export const received = (method: string, path: string, rest: Partial<Received> = {}): Received => ({
  method,
  path,
  query: {},
  rawQuery: '',
  body: {},
  form: {},
  bytes: Buffer.alloc(0),
  headers: {},
  url: `http://127.0.0.1/microblog${path}`,
  token: undefined,
  ...rest,
});
