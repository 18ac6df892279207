import type { DiscoveryProblem } from '../../contract/discovery.ts';
import type { ReadProblem } from '../../platforms/platform.ts';

const maxShown = 100;
const maxReported = 10_000;
const longestMessage = 200;

/** The problems of a run: each object once, up to the maximum that a record stores. */
export class Problems {
  readonly shown: DiscoveryProblem[] = [];
  count = 0;
  private readonly known = new Set<string>();

  add(adAccountId: string | null, { objectType, platformId, field, message }: ReadProblem): void {
    const key = JSON.stringify([adAccountId, objectType, platformId, field]);
    if (this.known.has(key)) return;
    if (this.known.size < maxReported) this.known.add(key);
    this.count += 1;
    if (this.shown.length === maxShown) return;
    this.shown.push({ adAccountId, objectType, platformId, field, message: message.slice(0, longestMessage) });
  }
}
