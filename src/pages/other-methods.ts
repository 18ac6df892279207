import type { Env, Hono } from 'hono';
import { methodNotAllowed } from '../contract/error.ts';

/** Answers 405 on the paths of an application, with the methods that they have. Called after its routes are added. */
export function rejectOtherMethods<E extends Env>(app: Hono<E>): void {
  const paths = new Map<string, Set<string>>();
  for (const { method, path } of app.routes)
    if (method !== 'ALL') paths.set(path, (paths.get(path) ?? new Set()).add(method));
  // A fixed path counts before a pattern that includes it.
  const sorted = [...paths].sort(([one], [other]) => Number(one.includes(':')) - Number(other.includes(':')));
  for (const [path, methods] of sorted) {
    app.all(path, (c, next) => {
      if (methods.has(c.req.method)) return next();
      throw methodNotAllowed(c.req.path, [...methods].join(', '));
    });
  }
}
