import { PlatformError, type PlatformFault, type UpstreamFailure } from '../../../src/platforms/error.ts';
import type {
  Figures,
  ReportAdapter,
  ReportJobState,
  ReportQuery,
  ReportRow,
} from '../../../src/platforms/platform.ts';

/** A platform that reports the figures that a test sets. */
export interface ReportPlatform {
  adapter: ReportAdapter & { version: number };
  /** Figures by object and day; `today` changes as a test likes. */
  figures: Map<string, Map<string, Figures>>;
  /** Sets the impressions and the spend of an object on a day. */
  set: (platformId: string, date: string, impressions: number) => void;
  /** Parents that rows report. */
  parents: Map<string, Pick<ReportRow, 'campaignId' | 'adSetId'>>;
  /** The queries that were read to their end or not. */
  reads: ReportQuery[];
  /** Failures of the next reads. */
  failures: { fault: PlatformFault; upstream?: UpstreamFailure; afterPages?: number }[];
  /** Each page waits for it. */
  beforePage: () => Promise<void>;
  rowsPerPage: number;
  /** Prepared reports. */
  jobs: {
    needs: (query: ReportQuery) => boolean;
    started: ReportQuery[];
    polled: string[];
    fetched: string[];
    /** What the next polls return; finished if there is none. */
    states: (ReportJobState | PlatformFault)[];
    /** Failures of the next starts and fetches. */
    startFailures: PlatformFault[];
    fetchFailures: PlatformFault[];
    usedPercent?: number;
  };
}

const failed = (fault: PlatformFault, upstream?: UpstreamFailure): PlatformError =>
  new PlatformError('A', fault, `The platform says ${fault}`, upstream);

export function reportPlatform(): ReportPlatform {
  const platform: ReportPlatform = {
    figures: new Map(),
    parents: new Map(),
    reads: [],
    failures: [],
    beforePage: async () => {},
    rowsPerPage: 10,
    jobs: {
      needs: () => false,
      started: [],
      polled: [],
      fetched: [],
      states: [],
      startFailures: [],
      fetchFailures: [],
    },
    set: (platformId, date, impressions) => {
      const days = platform.figures.get(platformId) ?? new Map<string, Figures>();
      platform.figures.set(
        platformId,
        days.set(date, { impressions: BigInt(impressions), spend: BigInt(impressions) * 7n }),
      );
    },
    adapter: {
      version: 1,
      needsJob: (query) => platform.jobs.needs(query),
      usage: async () =>
        platform.jobs.usedPercent === undefined ? undefined : { percent: platform.jobs.usedPercent, seconds: 120 },
      read: (_access, query) => read(query),
      start: async (_access, query) => {
        platform.jobs.started.push(query);
        const fault = platform.jobs.startFailures.shift();
        if (fault) throw failed(fault);
        return { tokens: [`report-${platform.jobs.started.length}`] };
      },
      poll: async (_access, _query, { tokens }) => {
        platform.jobs.polled.push(...tokens);
        const state = platform.jobs.states.shift() ?? { status: 'finished' };
        if (typeof state === 'string') throw failed(state);
        return state;
      },
      fetch: async function* (_access, query, { tokens }) {
        platform.jobs.fetched.push(...tokens);
        const fault = platform.jobs.fetchFailures.shift();
        if (fault) throw failed(fault);
        yield* pagesOf(query);
      },
    },
  };

  async function* read(query: ReportQuery): AsyncGenerator<ReportRow[]> {
    platform.reads.push(query);
    const failure = platform.failures.shift();
    let pages = 0;
    for (const page of pagesOf(query)) {
      await platform.beforePage();
      if (failure && pages++ === (failure.afterPages ?? 0)) throw failed(failure.fault, failure.upstream);
      yield page;
    }
    if (failure && pages <= (failure.afterPages ?? 0)) throw failed(failure.fault, failure.upstream);
  }

  function pagesOf(query: ReportQuery): ReportRow[][] {
    const { fromDate, toDate, granularity, withReach } = query;
    const rows: ReportRow[] = [];
    for (const [platformId, days] of platform.figures) {
      const inRange = [...days].filter(([date]) => date >= fromDate && date <= toDate);
      const own = { platformId, ...platform.parents.get(platformId) };
      if (granularity === 'day') rows.push(...inRange.map(([date, figures]) => ({ ...own, date, figures })));
      else rows.push({ ...own, figures: { impressions: 1n, ...(withReach && { reach: BigInt(inRange.length) }) } });
    }
    const size = platform.rowsPerPage;
    return Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => rows.slice(at * size, (at + 1) * size));
  }
  return platform;
}
