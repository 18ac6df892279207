/** Tolerated clock difference: an object created this long before an order is not its own. */
const clockSkewMs = 300_000;

interface Placed {
  placedAt: Date;
  searchFrom?: Date;
}

/** Only a readable timestamp excludes an object: its name is ours, and a second object would spend twice. */
export const isRecent = (
  created: string | number | Date | undefined,
  { placedAt, searchFrom = placedAt }: Placed,
): boolean => !(new Date(created ?? Number.NaN).getTime() < searchFrom.getTime() - clockSkewMs);

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Polls with increasing delay; undefined on timeout. */
export async function pollUntil<T>(ask: () => Promise<T | undefined>, maxWaitMs: number): Promise<T | undefined> {
  const deadline = Date.now() + maxWaitMs;
  for (let wait = 200; ; wait = Math.min(2_000, wait * 2)) {
    const answer = await ask();
    if (answer !== undefined || Date.now() > deadline) return answer;
    await pause(wait);
  }
}
