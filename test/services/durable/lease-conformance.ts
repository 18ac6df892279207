import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Lease } from '../../../src/models/lease.ts';

/** Work under way in the section that its lease protects. */
export interface Holding {
  /** Lets the work finish; resolves with its result or its error. */
  end: () => Promise<unknown>;
}

/** Starts work that calls `inside` while it holds its lease; undefined if it ends, or waits, without getting there. */
export async function startHolding(
  work: (inside: () => Promise<void>) => Promise<unknown>,
  waits: Promise<unknown> = new Promise(() => undefined),
): Promise<Holding | undefined> {
  let enter: (isInside: true) => void = () => undefined;
  let open: () => void = () => undefined;
  const entered = new Promise<true>((resolve) => (enter = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  const inside = (): Promise<void> => {
    enter(true);
    return opened;
  };
  const result = work(inside).catch((error: unknown) => error);
  const isInside = await Promise.race([entered, result.then(() => false), waits.then(() => false)]);
  const end = (): Promise<unknown> => {
    open();
    return result;
  };
  return isInside ? { end } : undefined;
}

/** One user of a lease, on a document of its own for each test. */
export interface LeaseSubject {
  leaseSeconds: number;
  /** Moves the clock. */
  pass: (seconds: number) => void;
  /** Starts work that needs the lease; undefined if another process holds it. */
  begin: () => Promise<Holding | undefined>;
  /** The same by another process, if it does so in another way. */
  takeOver?: () => Promise<Holding | undefined>;
  /** The document as it is stored; null once it is deleted. */
  stored: () => Promise<object | null>;
  lease: () => Promise<Lease | null | undefined>;
}

interface Options {
  /** Whether long work renews its lease. */
  isRenewed: boolean;
}

/** What every user of a lease promises. */
export function testLease(name: string, create: () => Promise<LeaseSubject>, { isRenewed }: Options): void {
  describe(`the lease of ${name}`, () => {
    afterEach(() => void vi.useRealTimers());

    const begun = async (subject: LeaseSubject): Promise<Holding & { lease: Lease }> => {
      const holding = await subject.begin();
      const lease = await subject.lease();
      if (!holding || !lease) throw new Error('The first process acquires the lease');
      return { ...holding, lease };
    };
    const takenOver = async (subject: LeaseSubject): Promise<Holding & { lease: Lease }> => {
      subject.pass(subject.leaseSeconds + 1);
      const holding = await (subject.takeOver ?? subject.begin)();
      const lease = await subject.lease();
      if (!holding || !lease) throw new Error('Another process acquires the lease once it has expired');
      return { ...holding, lease };
    };

    it('is not acquired while another process holds it', async () => {
      const subject = await create();
      const first = await begun(subject);
      subject.pass(subject.leaseSeconds - 1);
      expect(await (subject.takeOver ?? subject.begin)()).toBeUndefined();
      expect(await subject.lease()).toEqual(first.lease);
      await first.end();
    });

    it('passes to another process, with another token, once it has expired', async () => {
      const subject = await create();
      const first = await begun(subject);
      const second = await takenOver(subject);
      expect(second.lease.token).not.toBe(first.lease.token);
      await second.end();
      await first.end();
    });

    it('fences a late write of a paused process while its successor works', async () => {
      const subject = await create();
      const first = await begun(subject);
      const second = await takenOver(subject);
      const before = await subject.stored();
      await first.end();
      expect(await subject.stored()).toEqual(before);
      await second.end();
      expect(await subject.stored()).not.toEqual(before);
    });

    it('fences a late write of a paused process after its successor has finished', async () => {
      const subject = await create();
      const first = await begun(subject);
      const second = await takenOver(subject);
      await second.end();
      const after = await subject.stored();
      await first.end();
      expect(await subject.stored()).toEqual(after);
    });

    it('is released when the work ends', async () => {
      const subject = await create();
      const first = await begun(subject);
      await first.end();
      expect((await subject.lease()) ?? null).toBeNull();
    });

    if (!isRenewed) return;
    it('is renewed while the work is slow, and not after it', async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      const subject = await create();
      const first = await begun(subject);
      for (const untilNow of [first.lease.until, null]) {
        const before = untilNow ?? (await subject.lease())?.until;
        subject.pass(subject.leaseSeconds / 2);
        vi.advanceTimersByTime((subject.leaseSeconds / 2) * 1000);
        await vi.waitUntil(async () => (await subject.lease())?.until.getTime() !== before?.getTime());
      }
      expect(await subject.lease()).toMatchObject({ token: first.lease.token });
      await first.end();
      const after = await subject.stored();
      subject.pass(subject.leaseSeconds / 2);
      expect(vi.getTimerCount()).toBe(0);
      expect(await subject.stored()).toEqual(after);
    });
  });
}
