/** Drops calls that follow the previous one too soon, so that a repeated error is logged once. */
export function atMostEvery<T extends unknown[]>(ms: number, run: (...args: T) => void): (...args: T) => void {
  let last = -Infinity;
  return (...args) => {
    const now = performance.now();
    if (now - last < ms) return;
    last = now;
    run(...args);
  };
}
