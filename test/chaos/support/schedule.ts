export type Blow =
  | { atMs: number; what: 'kill-worker'; index: number }
  | { atMs: number; what: 'kill-api'; index: number }
  | { atMs: number; what: 'flush-redis' }
  | { atMs: number; what: 'restart-redis'; outageMs: number }
  | { atMs: number; what: 'restart-store'; outageMs: number }
  | { atMs: number; what: 'restart-both'; outageMs: number };

export interface PlanOptions {
  seed: number;
  seconds: number;
  processes: number;
}

/** Numbers from 0 to 1 that the seed decides. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What happens when: a SIGKILL every two to five seconds, three flushes, and once a minute each store goes away, then both together. */
export function makePlan({ seed, seconds, processes }: PlanOptions): Blow[] {
  const random = randomFrom(seed);
  const endMs = seconds * 1000;
  const between = (from: number, to: number): number => Math.round(from + random() * (to - from));
  const sometime = (): number => between(0.1 * endMs, 0.9 * endMs);
  const blows: Blow[] = [];
  for (let atMs = between(1000, 2500); atMs < endMs; atMs += between(2000, 5000)) {
    const what = random() < 0.65 ? 'kill-worker' : 'kill-api';
    blows.push({ atMs, what, index: Math.floor(random() * processes) });
  }
  for (let at = 0; at < 3; at++) blows.push({ atMs: sometime(), what: 'flush-redis' });
  for (let minute = 0; minute * 60 < seconds; minute++) {
    blows.push({ atMs: sometime(), what: 'restart-redis', outageMs: between(1000, 5000) });
    blows.push({ atMs: sometime(), what: 'restart-store', outageMs: between(300, 2000) });
    blows.push({ atMs: sometime(), what: 'restart-both', outageMs: between(1000, 4000) });
  }
  return blows.toSorted((a, b) => a.atMs - b.atMs);
}
