import type { Log } from '../../telemetry/log.ts';
import type { Answer } from '../http.ts';

const header = 'x-ad-api-version-warning';

/** Logs what responses say about the end of the API version: each text once a day. */
export function createVersionWatch(
  log: Pick<Log, 'warn'> | undefined,
): (headers: Answer['headers'], now: Date) => void {
  let [day, logged] = ['', new Set<string>()];
  return (headers, now) => {
    const warning = String(headers[header] ?? '');
    if (!log || warning === '') return;
    const today = now.toISOString().slice(0, 10);
    if (today !== day) [day, logged] = [today, new Set()];
    if (logged.has(warning)) return;
    logged.add(warning);
    log.warn({ platform: 'A', warning }, 'the platform warns about the configured API version');
  };
}
