import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of more than about ten seconds. */
const isLong = ({ moduleId }: TestSpecification): boolean =>
  new RegExp(
    [
      '/test/(chaos|processes|conformance|webhooks|telemetry|dev/start|services/duplications/(usage|round-trips))',
      '/test/(api/(stops|budget)|workers/read-figures|pages/docs-browser|models/query-shapes|connect/select-page)',
      '/test/(platforms/odd-objects|upstream/refusals|dev/mongo-server/crash)',
    ].join('|'),
  ).test(moduleId);

/** Begins with what takes minutes: left to the end, one core would run it while the other is idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
