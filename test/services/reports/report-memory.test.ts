import { beforeEach, describe, expect, it } from 'vitest';
import {
  createHold,
  createReportMemory,
  oneReadAtATime,
  type Hold,
  type ReportMemory,
} from '../../../src/services/reports/report-memory.ts';

let memory: ReportMemory;
let hold: Hold;
beforeEach(() => {
  memory = createReportMemory(64_000_000, 5_000);
  hold = createHold(memory, 'reads');
});

/** The memory that is reserved once everything that has begun has ended. */
async function reservedLater(): Promise<number> {
  await new Promise(setImmediate);
  return memory.reads.reserved;
}

describe('the memory of a report', () => {
  it('is reserved once, also if two of its reads need it at the same time', async () => {
    await Promise.all([hold.take(10), hold.take(20)]);
    expect(memory.reads.reserved).toBe(10);
    hold.free();
    expect(await reservedLater()).toBe(0);
  });

  it('is not reserved by a read that goes on after the report', async () => {
    hold.free();
    await hold.take(10);
    expect(await reservedLater()).toBe(0);
  });

  it('is free again if the report ends while a read waits for memory', async () => {
    const releaseAll = await memory.reads.reserve(Infinity, 0);
    const taking = hold.take(10);
    hold.free();
    releaseAll?.();
    await taking;
    expect(await reservedLater()).toBe(0);
  });

  it('does not block the next report of its document after it has ended', async () => {
    const ofDocument = oneReadAtATime(memory, () => false);
    const [first, second] = [createHold(ofDocument, 'reads'), createHold(ofDocument, 'reads')];
    first.free();
    await first.take(10);
    await second.take(10);
    second.free();
    expect(await reservedLater()).toBe(0);
  });

  it('is not reserved by the next report of a document whose client is gone', async () => {
    let isGone = false;
    const ofDocument = oneReadAtATime(memory, () => isGone);
    const [first, second] = [createHold(ofDocument, 'reads'), createHold(ofDocument, 'reads')];
    await first.take(10);
    const taking = second.take(20);
    isGone = true;
    first.free();
    await expect(taking).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    expect(await reservedLater()).toBe(0);
  });

  it('is waited for by the reports of a document together as long as by one report', async () => {
    const waits: number[] = [];
    const { reads } = memory;
    memory.maxWaitMs = 40;
    memory.reads = {
      reserve: (bytes, waitMs) => {
        waits.push(waitMs);
        return reads.reserve(bytes, waitMs);
      },
      get reserved() {
        return reads.reserved;
      },
    };
    const releaseAll = await reads.reserve(Infinity, 0);
    const ofDocument = oneReadAtATime(memory, () => false);
    for (let report = 0; report < 2; report++)
      await expect(createHold(ofDocument, 'reads').take(10)).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    expect(waits[0]).toBe(40);
    expect(waits[1]).toBeLessThan(5);
    releaseAll?.();
    await createHold(ofDocument, 'reads').take(10);
    expect(reads.reserved).toBe(10);
  });
});
