// Stops the processes of a start that was killed. Reads one process id per line from the start, with a minus sign
// once that process has exited; the end of the stream means that the start is gone. Plain JavaScript, so that it
// loads at once.
import { readFileSync } from 'node:fs';
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

/** A zombie process still accepts signals; the system marks it Z. */
function isRunning(pid) {
  if (!signal(pid, 0)) return false;
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return process.platform !== 'linux';
  }
}

const hasGone = async (pid, limitMs) => {
  for (
    const deadline = Date.now() + limitMs;
    Date.now() < deadline;
    await new Promise((done) => setTimeout(done, 20))
  ) {
    if (!isRunning(pid)) return true;
  }
  return false;
};

/** In reverse order, because later processes depend on earlier ones. */
async function endAll() {
  for (const pid of pids) {
    if (signal(pid, 'SIGTERM') && !(await hasGone(pid, graceMs))) signal(pid, 'SIGKILL');
  }
}

const forget = (pid) => pids.includes(pid) && pids.splice(pids.indexOf(pid), 1);

createInterface({ input: process.stdin })
  .on('line', (line) => (line.startsWith('-') ? forget(Number(line.slice(1))) : pids.unshift(Number(line))))
  .on('close', () => void endAll());
