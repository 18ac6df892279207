/** Passes a call on unless one was passed on so short a time ago: the same trouble a thousand times is one line. */
export function atMostEvery<T extends unknown[]>(ms: number, run: (...args: T) => void): (...args: T) => void {
  let last = -Infinity;
  return (...args) => {
    const now = performance.now();
    if (now - last < ms) return;
    last = now;
    run(...args);
  };
}
