import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isExhaustive } from './sample.ts';

const matches =
  (...paths: string[]) =>
  ({ moduleId }: TestSpecification): boolean =>
    new RegExp(`/test/(${paths.join('|')})`).test(moduleId);

/** Files of more than twenty seconds of CPU time or a minute in all. */
const isLongest = matches(
  'conformance/(budget-level|discovery|update-ad-(settings|status))',
  'api/stops',
  'dev/start.test',
);

/** Files of more than about forty seconds in `npm run check`. */
const isLongestInFull = matches(
  'browser/policies',
  'chaos',
  'conformance/(budget-(level|sequences)|deleted-upstream|fault-by-name|faults|lost-responses|removal-failures|update-ad)',
  'dev/(cli|image|operator-commands)\\.',
  'platforms/odd-objects',
  'processes/(database-outage|duplication-takeover|figures-takeover|interrupted-run|media-memory|report-outage)',
  'processes/(rolling-restart|stop-|two-processes)',
  'redis/require-settings',
  'services/duplications/crash',
  'upstream/refusals',
);

/** Files of more than about five seconds, most of which they wait. */
const isWaiting = matches(
  'chaos|processes|conformance|webhooks|telemetry/metrics',
  'api/(budget|duplicate-campaign|local-access|metrics|overload)',
  'connect/(lifecycle|select-page)',
  'lib/send-file',
  'dev/mongo-server/crash',
  'models/(availability|query-shapes|start-error)',
  'pages/(ads|docs-browser)\\.',
  'parity-duplication',
  'platforms/(discover-pages|http|meta-sandbox|odd-objects)',
  'redis',
  'services/duplications/(round-trips|unknown-outcome|usage|write-copies)',
  'upstream/refusals',
  'workers/(idle|read-figures)',
);

/** The share of the other files that run while waiting ones are left; those that follow are short. */
const spread = 0.75;

/**
 * Begins with the longest files: left to the end, one core would run them while the other is idle. Spreads those that
 * wait among those that compute: where all workers wait at once, both cores are idle.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isFirst = isExhaustive ? isLongestInFull : isLongest;
    const longest = sorted.filter(isFirst);
    const waiting = sorted.filter((file) => !isFirst(file) && isWaiting(file));
    const others = sorted.filter((file) => !isFirst(file) && !isWaiting(file));
    if (isExhaustive) return [...longest, ...waiting, ...others];
    const distance = (others.length * spread) / waiting.length;
    return [...longest, ...mixed(waiting, others, distance)];
  }
}

/** One of `few` before each `distance` of `many`. */
function mixed<T>(few: T[], many: T[], distance: number): T[] {
  const placed = few.map((file, at) => ({ file, place: at * distance }));
  return [...placed, ...many.map((file, place) => ({ file, place }))]
    .toSorted((a, b) => a.place - b.place)
    .map(({ file }) => file);
}
