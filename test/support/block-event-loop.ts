/** Keeps the event loop from running, as work does that takes so long, without taking the CPU from other files. */
export function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
