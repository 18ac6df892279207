import { expect, it } from 'vitest';
import { connect, random, startProcess, temporaryFolder } from './support.ts';

interface Counter {
  _id: number;
  n: number;
  pad: string;
}
const rounds = 6;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it(`loses no acknowledged write in ${rounds} kills in the middle of writing`, async () => {
  const folder = temporaryFolder();
  const next = random(rounds);
  let acknowledged = new Map<number, number>();
  let written = 0;
  for (let round = 0; round <= rounds; round++) {
    const store = await startProcess(folder);
    const client = await connect(`${store.uri}&retryWrites=false`);
    const counters = client.db('x').collection<Counter>('counters');
    const found = new Map((await counters.find().toArray()).map(({ _id, n }) => [_id, n]));
    const lost = [...acknowledged].filter(([id, n]) => (found.get(id) ?? -1) < n);
    expect(lost).toEqual([]);
    acknowledged = found;
    await counters.createIndex({ n: 1 });
    if (round === rounds) {
      await client.close();
      await store.kill('SIGTERM');
      break;
    }
    const enough = written + 40;
    let isOver = false;
    const kill = async (): Promise<void> => {
      while (written < enough && !isOver) await pause(5);
      await pause(next() * 600);
      await store.kill('SIGKILL');
    };
    const killed = kill();
    const write = async (): Promise<void> => {
      for (let i = round * 1_000_000; ; i += 4) {
        const ids = [i, i + 1, i + 2, i + 3];
        await Promise.all(
          ids.map(async (_id) => {
            await counters.insertOne({ _id, n: 1, pad: 'x'.repeat(500) });
            acknowledged.set(_id, 1);
            written++;
          }),
        );
        await counters.updateMany({ _id: { $gte: i } }, { $inc: { n: 1 } });
        for (const id of ids) acknowledged.set(id, 2);
      }
    };
    await expect(write()).rejects.toThrow(/connection|ECONNRE|EPIPE|ENOENT|closed/i);
    isOver = true;
    await killed;
    expect(written).toBeGreaterThanOrEqual(enough);
    await client.close();
  }
  expect(written).toBeGreaterThan(100);
});
