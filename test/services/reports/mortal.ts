import type { Db } from '../../../src/models/db.ts';

export interface MortalDb {
  db: Db;
  /** Resolves when the process is taken for killed. */
  died: Promise<void>;
  /** Lets it go on after all, like a process that was suspended. */
  resume: () => void;
  /** The moments that it lived through. */
  moments: () => number;
}

const writes = new Set(['updateOne', 'findOneAndUpdate', 'bulkWrite']);

/** A database whose process is killed at its n-th moment: before or after a write of figures, of coverage or of a lease. */
export function mortalDb(db: Db, momentsBeforeDeath: number): MortalDb {
  let [lived, isDead] = [0, false];
  let die = (): void => {};
  let resume = (): void => {};
  const died = new Promise<void>((resolve) => (die = resolve));
  const resumed = new Promise<void>((resolve) => (resume = resolve));
  const moment = async (): Promise<void> => {
    lived += 1;
    isDead ||= lived > momentsBeforeDeath;
    if (!isDead) return;
    die();
    await resumed;
  };
  const during = async <T>(write: () => PromiseLike<T>): Promise<T> => {
    await moment();
    const answer = await write();
    await moment();
    return answer;
  };
  /** A query runs when it is awaited; its other methods return it. */
  const fragileQuery = <T extends PromiseLike<unknown>>(query: T): T =>
    new Proxy(query, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== 'function') return member;
        if (name === 'then')
          return (...then: Parameters<Promise<unknown>['then']>) => during(() => Promise.resolve(target)).then(...then);
        if (name === 'catch') return (rejected: () => unknown) => during(() => Promise.resolve(target)).catch(rejected);
        return (...args: unknown[]) => fragileQuery(Reflect.apply(member, target, args) as T);
      },
    });
  const fragile = <T extends object>(model: T): T =>
    new Proxy(model, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown;
        if (name === 'collection') return fragile(member as object);
        if (typeof member !== 'function') return member;
        const call = (...args: unknown[]) => Reflect.apply(member, target, args) as PromiseLike<unknown>;
        if (!writes.has(String(name))) return call;
        return 'schema' in target
          ? (...args: unknown[]) => fragileQuery(call(...args))
          : (...args: unknown[]) => during(() => call(...args));
      },
    });
  const { adFigures, adFigureCoverage, adFigureSources } = db;
  return {
    db: {
      ...db,
      adFigures: fragile(adFigures),
      adFigureCoverage: fragile(adFigureCoverage),
      adFigureSources: fragile(adFigureSources),
    },
    died,
    resume: () => resume(),
    moments: () => lived,
  };
}
