// Ends what a start left behind when it was killed without a chance to stop. It reads one process id a line from the
// start, with a minus sign once that process has ended; the end of the stream means the start is gone. Plain JavaScript,
// so that it is there at once.
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

/** A process that has ended but that nobody has asked about yet still takes signals; the system marks it Z. */
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

/** The last one started first, because it stands on the others. */
async function endAll() {
  for (const pid of pids) {
    if (signal(pid, 'SIGTERM') && !(await hasGone(pid, graceMs))) signal(pid, 'SIGKILL');
  }
}

const forget = (pid) => pids.includes(pid) && pids.splice(pids.indexOf(pid), 1);

createInterface({ input: process.stdin })
  .on('line', (line) => (line.startsWith('-') ? forget(Number(line.slice(1))) : pids.unshift(Number(line))))
  .on('close', () => void endAll());
