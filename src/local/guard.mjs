// Ends what a start left behind when it was killed without a chance to stop. It reads one process id a line from the
// start; the end of that stream means the start is gone. Plain JavaScript, so that it is there at once.
import { createInterface } from 'node:readline';

const graceMs = 15_000;
const pids = [];

const signal = (pid, name) => {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
};

createInterface({ input: process.stdin })
  .on('line', (line) => pids.unshift(Number(line)))
  .on('close', () => {
    for (const pid of pids) signal(pid, 'SIGTERM');
    setTimeout(() => pids.forEach((pid) => signal(pid, 'SIGKILL')), graceMs).unref();
    const timer = setInterval(() => {
      if (!pids.some((pid) => signal(pid, 0))) clearInterval(timer);
    }, 50);
  });
