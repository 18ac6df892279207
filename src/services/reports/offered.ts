import { invalidField } from '../../contract/error.ts';
import type { AdPlatform } from '../../contract/platforms.ts';
import type { Breakdown, Granularity, ReportLevel } from '../../contract/reporting/metrics.ts';
import { reporting } from '../../contract/reporting/index.ts';

interface Split {
  level: ReportLevel;
  granularity: Granularity;
  breakdowns: readonly Breakdown[];
}

const listed = (names: readonly string[]): string => names.join(', ') || 'none';

/** Throws if the platform does not report this level or breakdown; the message says what it reports. */
export function requireOffered(platform: AdPlatform, { level, granularity, breakdowns }: Split): void {
  const { breakdowns: offered, pairs, levels } = reporting[platform];
  if (!levels.includes(level))
    throw invalidField('level', `is not reported by platform ${platform}; use ${listed(levels)}`);
  const atLevel = (Object.keys(offered) as Breakdown[]).filter((name) => offered[name]?.levels.includes(level));
  const missing = breakdowns.findIndex((name) => !atLevel.includes(name));
  if (missing >= 0) {
    throw invalidField(
      `breakdowns.${missing}`,
      `is not reported by platform ${platform} at level ${level}, which has ${listed(atLevel)}`,
    );
  }
  const isPair = ([one, other]: readonly Breakdown[]): boolean =>
    breakdowns.includes(one!) && breakdowns.includes(other!);
  if (breakdowns.length === 2 && !pairs.some(isPair)) {
    const combinations = pairs.map((pair) => pair.join(' and '));
    throw invalidField(
      'breakdowns',
      `cannot be combined on platform ${platform}; it combines ${combinations.join('; ') || 'no breakdowns'}`,
    );
  }
  const whole = breakdowns.find((name) => offered[name]?.wholeRangeOnly);
  if (whole && granularity !== 'total') {
    throw invalidField('granularity', `must be total with the breakdown ${whole} on platform ${platform}`);
  }
}
