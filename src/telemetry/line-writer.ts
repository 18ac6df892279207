import { writeSync } from 'node:fs';
import { logLinesDropped } from './events.ts';

export interface LineWriter {
  write: (line: string) => void;
  flush: (timeoutMs: number) => Promise<void>;
}

/** Where lines go: a pipe whose reader may be slow, or a file. */
export interface Sink {
  fd: number;
  /** Calls `done` once more can be written. */
  write: (text: string, done: () => void) => void;
}

/** Two to four thousand lines. */
const maxWaitingBytes = 1_000_000;
/** For each line, a write would take as much CPU time as the rest of the line. */
const collectMs = 5;

/**
 * Writes the lines of a few milliseconds together. Lines wait while a pipe is full, which never blocks the process, and are dropped
 * and counted if too many wait. What still waits when the process exits is written as far as the sink has room.
 */
export function createLineWriter(sink: Sink): LineWriter {
  let waiting: string[] = [];
  let waitingBytes = 0;
  let isWriting = false;
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;

  const take = (): string => {
    const text = waiting.join('');
    waiting = [];
    waitingBytes = 0;
    if (dropped === 0) return text;
    const note = { level: 40, time: new Date().toISOString(), pid: process.pid, dropped, msg: 'log lines dropped' };
    dropped = 0;
    return `${text}${JSON.stringify(note)}\n`;
  };
  const send = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting || waiting.length === 0) return;
    isWriting = true;
    sink.write(take(), () => {
      isWriting = false;
      send();
    });
  };
  process.once('exit', () => writeNow(sink.fd, take()));
  return {
    write(line) {
      if (waitingBytes + line.length > maxWaitingBytes) send();
      if (waitingBytes + line.length > maxWaitingBytes) {
        dropped += 1;
        logLinesDropped.emit({});
        return;
      }
      waiting.push(line);
      waitingBytes += line.length;
      if (!isWriting) timer ??= setTimeout(send, collectMs);
    },
    async flush(timeoutMs) {
      const end = performance.now() + timeoutMs;
      send();
      while ((isWriting || waiting.length > 0) && performance.now() < end)
        await new Promise((resolve) => setTimeout(resolve, 10));
    },
  };
}

/** A pipe that nothing reads fills up, and one whose reader is gone ends nothing. */
export function pipeSink(pipe: NodeJS.WriteStream & { fd: number }): Sink {
  pipe.on('error', () => undefined);
  return { fd: pipe.fd, write: (text, done) => void pipe.write(text, done) };
}

export const fileSink = (fd: number): Sink => ({
  fd,
  write: (text, done) => {
    writeNow(fd, text);
    done();
  },
});

/** A pipe is non-blocking: the write fails once it is full, as that to a file of a full disk does. */
function writeNow(fd: number, text: string): void {
  try {
    for (let rest = Buffer.from(text); rest.length > 0;) rest = rest.subarray(writeSync(fd, rest));
  } catch {
    // Nothing can be logged about a log that takes no more.
  }
}
