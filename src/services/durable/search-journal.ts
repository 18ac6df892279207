import type { AdStep } from '../../models/ad.ts';
import type { Journal } from '../../platforms/platform.ts';
import { StepMissing } from './step-journal.ts';

/** Steps that change an object; all others create one. */
export const switches = new Set(['activate', 'activateSet']);

/** Without these, nothing below them can exist. */
const parents = new Set(['campaign', 'adSet']);

export interface SearchJournal extends Journal {
  /** The steps whose objects exist. */
  readonly steps: AdStep[];
}

/** Finds what an order without a record may have created; sends nothing. Throws StepMissing unless all its ads exist. */
export function searchJournal(adCount: number, now: () => Date): SearchJournal {
  const steps: AdStep[] = [];
  let isAdMissing = false;
  return {
    dryRun: false,
    isBegun: true,
    isSearch: true,
    steps,
    async run({ name, find }) {
      const placeholder = `{${name}.id}`;
      // A search that activated something would overrule its owner, who may have paused it since.
      if (switches.has(name)) return placeholder;
      const remoteId = await find?.();
      if (remoteId !== undefined) steps.push({ name, state: 'done', remoteId, startedAt: now() });
      else if (parents.has(name)) throw new StepMissing(name);
      else isAdMissing ||= name.startsWith('ad.');
      if (isAdMissing && name === `ad.${adCount - 1}`) throw new StepMissing(name);
      return remoteId ?? placeholder;
    },
  };
}
