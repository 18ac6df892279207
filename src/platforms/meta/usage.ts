import { z } from 'zod';
import { PlatformError } from '../error.ts';
import type { Answer } from '../http.ts';
import type { Limits, Usage } from '../../lib/platform-limits.ts';
import type { AdAccount } from '../platform.ts';
import { pause } from '../poll.ts';
import { jsonOf } from './field-errors.ts';

const figure = z.number().catch(0);
const Calls = z.object({ call_count: figure, total_time: figure, total_cputime: figure });
const UseCases = z.record(
  z.string(),
  z.array(Calls.extend({ type: z.string().catch(''), estimated_time_to_regain_access: figure })),
);
const OfAccount = z.object({ acc_id_util_pct: figure, reset_time_duration: figure });
const OfReports = z.object({ app_id_util_pct: figure, acc_id_util_pct: figure });

/** Usage in percent at which background work is slowed down and stopped. */
const slowFrom = 75;
const stopFrom = 95;
const defaultSeconds = 60;
const forgetSeconds = 0.001;

export const keyOf = (adAccountId: string): string => `A:${adAccountId.replace(/^act_/, '')}`;

const most = ({ call_count: calls, total_time: time, total_cputime: cpu }: z.infer<typeof Calls>): number =>
  Math.max(calls, time, cpu);

export interface UsageWatch {
  /** Records the quota usage that a response reports for an ad account. */
  note: (adAccountId: string, headers: Answer['headers']) => Promise<void>;
  /** Delays a background write while its ad account's quota is nearly exhausted. */
  throttle: (adAccount: AdAccount) => Promise<void>;
  /** Whether this process knows that the quota is nearly exhausted. */
  isNearlyFull: (adAccount: AdAccount) => boolean;
  /** The last recorded usage; undefined below the percentage at which background work slows down. */
  usageOf: (adAccount: AdAccount) => Promise<Usage | undefined>;
}

/** The platform counts reports apart from writes. */
export type UseCase = 'writes' | 'reports';

export function createUsageWatch(limits: Limits, useCase: UseCase = 'writes'): UsageWatch {
  const keyFor = (id: string): string => (useCase === 'writes' ? keyOf(id) : `${keyOf(id)}:reports`);
  /** Ad accounts known to this process to be near their quota. */
  const full = new Set<string>();
  return {
    isNearlyFull: ({ id }) => full.has(keyFor(id)),
    usageOf: ({ id }) => limits.usageOf(keyFor(id)),
    async note(id, headers) {
      const [usage, key] = [usageIn(headers, useCase), keyFor(id)];
      if (!usage) return;
      if (usage.percent >= slowFrom) {
        full.add(key);
        await limits.noteUsage(key, usage);
      } else if (full.delete(key)) {
        await limits.noteUsage(key, { percent: usage.percent, seconds: forgetSeconds });
      }
    },
    async throttle({ id }) {
      const usage = await limits.usageOf(keyFor(id));
      if (!usage || usage.percent < slowFrom) return void full.delete(keyFor(id));
      full.add(keyFor(id));
      const { percent, seconds } = usage;
      if (percent >= stopFrom) {
        const message = `The ad account has used ${Math.floor(percent)} % of its quota on the platform`;
        throw new PlatformError('A', 'rate_limited', message, { retryAfterSeconds: Math.ceil(seconds) });
      }
      await pause((percent - slowFrom + 1) * 250);
    },
  };
}

/** The highest quota usage in a response. */
function usageIn(headers: Answer['headers'], useCase: UseCase): Usage | undefined {
  const read = <T>(schema: z.ZodType<T>, name: string): T | undefined =>
    schema.safeParse(jsonOf(String(headers[name] ?? ''))).data;
  const isReports = useCase === 'reports';
  const cases = Object.values(read(UseCases, 'x-business-use-case-usage') ?? {})
    .flat()
    .filter(({ type }) => (type === 'ads_insights') === isReports);
  const reports = isReports ? read(OfReports, 'x-fb-ads-insights-throttle') : undefined;
  const [app, account] = isReports ? [] : [read(Calls, 'x-app-usage'), read(OfAccount, 'x-ad-account-usage')];
  const found: Usage[] = [
    ...cases.map((one) => ({ percent: most(one), seconds: one.estimated_time_to_regain_access * 60 })),
    ...(reports ? [{ percent: Math.max(reports.app_id_util_pct, reports.acc_id_util_pct), seconds: 0 }] : []),
    ...(app ? [{ percent: most(app), seconds: 0 }] : []),
    ...(account ? [{ percent: account.acc_id_util_pct, seconds: account.reset_time_duration }] : []),
  ];
  const fullest = found.toSorted((a, b) => b.percent - a.percent)[0];
  return fullest && { percent: fullest.percent, seconds: fullest.seconds || defaultSeconds };
}
