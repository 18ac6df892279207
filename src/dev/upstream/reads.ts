import type { FoundAd, ReportRow } from '../../platforms/platform.ts';
import { rows, type Check, type Side } from './check.ts';

const common = 'Adapter and sandbox share their authors’ reading of the documentation';
/** The figures of a page are read with it; large accounts have many pages. */
const maxPages = 10;

/** Reads until each level had a page; returns the first ad. */
async function discover({ adapter, access, adAccount }: Side): Promise<FoundAd | undefined> {
  let pages = 0;
  for await (const { ads = [] } of adapter.discover(access, adAccount)) {
    pages += 1;
    if (ads[0]) return ads[0];
    if (pages >= maxPages) break;
  }
  return undefined;
}

const dayMs = 86_400_000;

/** The figures of each day of the week before today. */
async function report({ adapter, access, adAccount }: Side): Promise<ReportRow[] | undefined> {
  const daysAgo = (days: number): string =>
    new Date(access.clock.now().getTime() - days * dayMs).toISOString().slice(0, 10);
  const [fromDate, toDate] = [daysAgo(7), daysAgo(1)];
  const query = { adAccount, level: 'campaign', fromDate, toDate, granularity: 'day' } as const;
  const pages = adapter.reports?.read(access, { ...query, breakdowns: [], withReach: false }) ?? [];
  for await (const rows of pages) return rows;
  return undefined;
}

/** The adapters' own reads, which exist on every platform. */
export const reads: Check[] = rows('read', [
  {
    id: 'ad-accounts',
    question: 'Does the list of ad accounts look as the sandbox answers it?',
    doubt: common,
    run: ({ adapter, access }) => adapter.listAdAccounts(access),
  },
  {
    id: 'targeting',
    question: 'Does the search for countries look as the sandbox answers it?',
    doubt: common,
    run: ({ adapter, access, adAccount }) =>
      adapter.searchTargeting(access, { type: 'country', q: 'Germany', limit: 5, adAccount }),
  },
  {
    id: 'interests',
    question: 'Does the search for interests look as the sandbox answers it?',
    doubt: `${common}; on C the format of interests is unconfirmed`,
    run: async ({ adapter, access, adAccount }) =>
      adapter.searchInterests?.(access, { q: 'food', limit: 5, adAccount }),
  },
  {
    id: 'discovery',
    question: 'Do campaigns, ad sets, ads and their figures look as the sandbox answers them?',
    doubt: `${common}; on F the token may lack r_ads_reporting, on D an ad may have no campaign_id`,
    run: discover,
  },
  {
    id: 'report',
    question: 'Do the figures of each day of a week look as the sandbox answers them?',
    doubt: `${common}; the bounds of days, and whether days without delivery have rows, are known from texts`,
    run: report,
  },
  {
    id: 'budget',
    question: 'Does the budget of an ad look as the sandbox answers it?',
    doubt: common,
    run: async (side, quietly) => {
      const ad = await quietly(() => discover(side));
      if (!ad) return undefined;
      const { adSetId, campaignId } = ad;
      return side.adapter.readBudget(side.access, { adAccount: side.adAccount, adSetId, campaignId });
    },
  },
]);
