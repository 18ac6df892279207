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

/** Throws if the platform cannot split figures like this; the message names what it has. */
export function requireOffered(platform: AdPlatform, { level, granularity, breakdowns }: Split): void {
  const { breakdowns: offered, pairs, levels } = reporting[platform];
  if (!levels.includes(level)) throw invalidField('level', `platform ${platform} reports levels ${listed(levels)}`);
  const atLevel = (Object.keys(offered) as Breakdown[]).filter((name) => offered[name]?.levels.includes(level));
  const missing = breakdowns.findIndex((name) => !atLevel.includes(name));
  if (missing >= 0) {
    throw invalidField(`breakdowns.${missing}`, `platform ${platform} has at level ${level}: ${listed(atLevel)}`);
  }
  const isPair = ([one, other]: readonly Breakdown[]): boolean =>
    breakdowns.includes(one!) && breakdowns.includes(other!);
  if (breakdowns.length === 2 && !pairs.some(isPair)) {
    const combinations = pairs.map((pair) => pair.join(' and '));
    throw invalidField('breakdowns', `platform ${platform} combines ${combinations.join('; ') || 'no breakdowns'}`);
  }
  const whole = breakdowns.find((name) => offered[name]?.wholeRangeOnly);
  if (whole && granularity !== 'total') {
    throw invalidField('granularity', `platform ${platform} has the breakdown by ${whole} with granularity total only`);
  }
}
