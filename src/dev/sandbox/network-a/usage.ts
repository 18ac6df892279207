import type { Received, Reply } from '../platform.ts';
import type { SandboxState } from './state.ts';

/** Quota usage in per cent, and when each quota resets. */
export interface UsageSetting {
  useCase: number;
  /** Until the use case is available again. */
  minutes: number;
  app: number;
  account: number;
  /** Until the ad account's quota resets. */
  seconds: number;
}

export const usual: UsageSetting = { useCase: 1, minutes: 0, app: 1, account: 1.5, seconds: 100 };

export const accountIn = ({ path }: Pick<Received, 'path'>): string => /act_(\d+)/.exec(path)?.[1] ?? '0';

/** Every response contains the usage as percentages. */
export function usage(sandbox: SandboxState, request: Received): Required<Pick<Reply, 'headers'>> {
  const { useCase, minutes, app, account, seconds } = sandbox.usage.get('all') ?? usual;
  const { versionWarning } = sandbox.app.get('all') ?? {};
  const isOfInsights = request.path.endsWith('/insights');
  const calls = (percent: number): object => ({ call_count: percent, total_cputime: 1, total_time: 1 });
  return {
    headers: {
      ...(versionWarning && { 'X-Ad-Api-Version-Warning': versionWarning }),
      ...(isOfInsights && {
        'X-FB-Ads-Insights-Throttle': JSON.stringify({
          app_id_util_pct: app,
          acc_id_util_pct: account,
          ads_api_access_tier: 'standard_access',
        }),
      }),
      'X-App-Usage': JSON.stringify(calls(app)),
      'X-Ad-Account-Usage': JSON.stringify({
        acc_id_util_pct: account,
        reset_time_duration: seconds,
        ads_api_access_tier: 'standard_access',
      }),
      'X-Business-Use-Case-Usage': JSON.stringify({
        [accountIn(request)]: [
          {
            type: isOfInsights ? 'ads_insights' : 'ads_management',
            ...calls(useCase),
            estimated_time_to_regain_access: minutes,
          },
        ],
      }),
    },
  };
}
