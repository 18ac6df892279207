import { writeSync } from 'node:fs';
import { logLinesDropped } from './events.ts';

export interface PipeWriter {
  write: (line: string) => void;
  flush: (timeoutMs: number) => Promise<void>;
}

/** Two to four thousand lines. */
const maxWaitingBytes = 1_000_000;

/**
 * Writes lines to a pipe without ever blocking: a line waits while the reader is slow, and is dropped and counted if too
 * many wait. What still waits when the process exits is written as far as the pipe has room.
 */
export function createPipeWriter(pipe: NodeJS.WriteStream & { fd: number }): PipeWriter {
  // A reader that is gone ends nothing.
  pipe.on('error', () => undefined);
  let waiting: string[] = [];
  let waitingBytes = 0;
  let isWriting = false;
  let dropped = 0;

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
    if (waiting.length === 0) return;
    isWriting = true;
    pipe.write(take(), () => {
      isWriting = false;
      send();
    });
  };
  process.once('exit', () => writeRest(pipe.fd, take()));
  return {
    write(line) {
      if (waitingBytes + line.length > maxWaitingBytes) {
        dropped += 1;
        logLinesDropped.emit({});
        return;
      }
      waiting.push(line);
      waitingBytes += line.length;
      if (!isWriting) send();
    },
    async flush(timeoutMs) {
      const end = performance.now() + timeoutMs;
      while ((isWriting || waiting.length > 0) && performance.now() < end)
        await new Promise((resolve) => setTimeout(resolve, 10));
    },
  };
}

/** The pipe is non-blocking: the write fails once it is full. */
function writeRest(fd: number, text: string): void {
  try {
    for (let rest = Buffer.from(text); rest.length > 0;) rest = rest.subarray(writeSync(fd, rest));
  } catch {
    // Nothing can be logged about a log that takes no more.
  }
}
