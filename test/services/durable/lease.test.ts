import { Schema } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newId } from '../../../src/lib/id.ts';
import { lease, type Lease } from '../../../src/models/lease.ts';
import {
  acquire,
  extend,
  hasExpired,
  heldBy,
  isFree,
  LeaseLostError,
  newLease,
  ShutdownError,
  withRenewal,
} from '../../../src/services/durable/lease.ts';
import { makeServices, type TestServices } from '../../support/services.ts';

let services: TestServices;
let things: ReturnType<typeof modelOf>;

interface Thing {
  _id: string;
  lease: Lease | null;
  count: number;
}

const thingSchema = new Schema<Thing>({ _id: String, lease, count: Number }, { versionKey: false });
const modelOf = ({ db }: TestServices) => db.users.db.model<Thing>('Thing', thingSchema);

beforeAll(async () => {
  services = await makeServices();
  things = modelOf(services);
});
afterAll(() => services.stop());

const leaseMs = 60_000;
const own = (renew: () => Promise<boolean>, signal?: AbortSignal) => ({ leaseMs, renew, log: services.log, signal });
const take = (_id: string, set = {}) => acquire(things, { now: services.clock.now(), leaseMs, filter: { _id }, set });

describe('acquire', () => {
  it('stores a lease, with further fields in the same write, and returns the document after it', async () => {
    const { _id } = await things.create({ _id: newId() });
    const until = new Date(services.clock.now().getTime() + leaseMs);
    expect(await take(_id, { count: 1 })).toMatchObject({ count: 1, lease: { token: expect.any(String), until } });
  });

  it('lets one of many simultaneous processes win', async () => {
    const { _id } = await things.create({ _id: newId() });
    const taken = await Promise.all(Array.from({ length: 20 }, () => take(_id)));
    expect(taken.filter((doc) => doc !== null)).toHaveLength(1);
  });

  it('returns null for a document that does not exist', async () => {
    expect(await take(newId())).toBeNull();
  });
});

describe('extend', () => {
  const now = (): Date => services.clock.now();

  it('extends a lease that is held, with further fields in the same write', async () => {
    const { _id } = await things.create({ _id: newId() });
    const { lease: mine } = (await take(_id)) ?? {};
    services.pass(30);
    const held = { _id, ...heldBy(mine) };
    expect(await extend(things, { now: now(), leaseMs, held, set: { count: 2 } })).toBe(true);
    const until = new Date(now().getTime() + leaseMs);
    expect(await things.findById(_id).lean()).toMatchObject({ count: 2, lease: { token: mine?.token, until } });
  });

  it('writes nothing once another process has acquired the lease', async () => {
    const { _id } = await things.create({ _id: newId() });
    const { lease: mine } = (await take(_id)) ?? {};
    services.pass(leaseMs / 1000 + 1);
    const taken = await take(_id, { count: 1 });
    const held = { _id, ...heldBy(mine) };
    expect(await extend(things, { now: now(), leaseMs, held, set: { count: 2 } })).toBe(false);
    expect(await things.findById(_id).lean()).toEqual(taken);
  });
});

describe('filter fragments', () => {
  it('match in bulk writes what is held, free and expired', async () => {
    const now = services.clock.now();
    const [held, expired] = [newLease(now, 1), newLease(now, 0)];
    const ids = [newId(), newId(), newId()];
    await things.create(ids.map((_id, at) => ({ _id, lease: [held, expired, null][at], count: 0 })));
    const matching = async (fragment: object): Promise<number[]> => {
      const found = await things.find({ _id: { $in: ids }, ...fragment }, { _id: 1 }).lean();
      return found.map(({ _id }) => ids.indexOf(_id)).toSorted((a, b) => a - b);
    };
    expect(await matching(heldBy(held))).toEqual([0]);
    expect(await matching(hasExpired(now))).toEqual([1]);
    expect(await matching(isFree(now))).toEqual([1, 2]);
    expect(await matching(heldBy(null))).toEqual([]);
    const update = { $set: { count: 1 } };
    const writes = ids.map((_id) => ({ updateOne: { filter: { _id, ...heldBy(held) }, update } }));
    expect((await things.bulkWrite(writes as never)).matchedCount).toBe(1);
  });
});

describe('withRenewal', () => {
  it('returns the result of the work and rejects with its error', async () => {
    expect(
      await withRenewal(
        own(async () => true),
        async () => 'done',
      ),
    ).toBe('done');
    const failing = withRenewal(
      own(async () => true),
      () => Promise.reject(new Error('no')),
    );
    await expect(failing).rejects.toThrow('no');
  });

  it('notifies the work that another process has acquired the lease', async () => {
    const work = withRenewal(
      own(async () => false),
      (requireHeld) => requireHeld(),
    );
    await expect(work).rejects.toBeInstanceOf(LeaseLostError);
  });

  it('notifies the work that the process is shutting down, without a renewal', async () => {
    let renewals = 0;
    const renew = async (): Promise<boolean> => (renewals += 1) > 0;
    const work = withRenewal(own(renew, AbortSignal.abort()), (requireHeld) => requireHeld());
    await expect(work).rejects.toBeInstanceOf(ShutdownError);
    expect(renewals).toBe(0);
  });

  it('renews again if the process was suspended before it read the answer', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const answers = [true, false];
    const renew = async (): Promise<boolean> => {
      const answer = answers.shift() === true;
      if (answer) vi.advanceTimersByTime(leaseMs);
      return answer;
    };
    const work = withRenewal(own(renew), (requireHeld) => requireHeld());
    await expect(work).rejects.toBeInstanceOf(LeaseLostError);
    expect(answers).toEqual([]);
    vi.useRealTimers();
  });

  it('gives up before the work continues if every answer of the database is late', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    let renewals = 0;
    const renew = async (): Promise<boolean> => {
      vi.advanceTimersByTime(leaseMs);
      return (renewals += 1) > 0;
    };
    const work = withRenewal(own(renew), (requireHeld) => requireHeld());
    await expect(work).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    expect(renewals).toBe(3);
    vi.useRealTimers();
  });

  it('does not take an unavailable database for a lost lease', async () => {
    let isAway = true;
    const renew = async (): Promise<boolean> => {
      if (isAway) throw new Error('away');
      return true;
    };
    const work = withRenewal(own(renew), async (requireHeld) => {
      await expect(requireHeld()).rejects.toThrow('away');
      isAway = false;
      await requireHeld();
      return 'still held';
    });
    expect(await work).toBe('still held');
  });

  it('waits at the end for a renewal under way, which could otherwise undo a release', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const order: string[] = [];
    let finish = (): void => undefined;
    const renew = (): Promise<boolean> =>
      new Promise((resolve) => {
        finish = () => {
          order.push('renewed');
          resolve(true);
        };
      });
    const over = withRenewal(own(renew), async () => {
      vi.advanceTimersByTime(leaseMs / 2);
      setImmediate(finish);
    }).then(() => order.push('over'));
    await over;
    vi.useRealTimers();
    expect(order).toEqual(['renewed', 'over']);
  });
});
