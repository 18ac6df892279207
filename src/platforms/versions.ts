import { AdPlatform } from '../contract/platforms.ts';
import type { Reading } from '../telemetry/metrics.ts';
import type { PlatformsConfig } from './registry.ts';

interface End {
  version: number;
  /** The last day, UTC. */
  endsOn: string;
  /** The platform has published no day yet; this one follows its usual schedule. */
  isEstimate?: true;
}

/**
 * The last day of each API version, oldest first; checked on 2026-11-28 against developers.facebook.com (Marketing API
 * versions), developers.google.com/google-ads/api/docs/sunset-dates and learn.microsoft.com (LinkedIn Marketing
 * migrations). The other platforms have published no end of the version in use.
 */
const publishedEnds: Partial<Record<AdPlatform, End[]>> = {
  A: [
    { version: 24, endsOn: '2026-11-10' },
    { version: 25, endsOn: '2027-02-23' },
  ],
  B: [
    { version: 22, endsOn: '2026-10-07' },
    { version: 23, endsOn: '2027-02-28', isEstimate: true },
    { version: 24, endsOn: '2027-05-31', isEstimate: true },
    { version: 25, endsOn: '2027-08-31', isEstimate: true },
  ],
  F: [
    { version: 202_511, endsOn: '2026-11-16' },
    { version: 202_601, endsOn: '2027-01-15' },
  ],
};

/** LinkedIn supports a monthly version for at least a year. */
function afterOneYear(version: number): End {
  const [year, month] = [Math.floor(version / 100) + 1, version % 100];
  return { version, endsOn: `${year}-${String(month).padStart(2, '0')}-15`, isEstimate: true };
}

/** A version that is not listed ends no later than the next one that is. */
function endOf(platform: AdPlatform, version: number): End | undefined {
  const ends = publishedEnds[platform] ?? [];
  const exact = ends.find((end) => end.version === version);
  if (exact || platform !== 'F') return exact ?? ends.find((end) => end.version > version);
  return ends.find((end) => end.version > version) ?? afterOneYear(version);
}

interface VersionEnd {
  platform: AdPlatform;
  version: string;
  setting: string;
  endsOn: string;
  /** Negative after the end. */
  daysLeft: number;
  isEstimate: boolean;
}

const versionSetting = (platform: AdPlatform): string => `PLATFORM_${platform}_VERSION`;

/** The known ends of the configured API versions. */
const versionEnds = (config: PlatformsConfig, now: Date): VersionEnd[] =>
  AdPlatform.options.flatMap((platform) => {
    const { version } = config[platform];
    const end = endOf(platform, Number.parseFloat(version.replace(/^v/, '')));
    if (!end) return [];
    const { endsOn, isEstimate = false } = end;
    const daysLeft = Math.floor((Date.parse(`${endsOn}T23:59:59Z`) - now.getTime()) / 86_400_000);
    return [{ platform, version, setting: versionSetting(platform), endsOn, daysLeft, isEstimate }];
  });

/** The days left, as a metric. */
export const versionReadings = (config: PlatformsConfig, now: Date): Reading[] =>
  versionEnds(config, now).map(({ platform, version, daysLeft }) => ({
    name: 'platform_api_version_days_left',
    labels: { platform, version },
    value: daysLeft,
  }));

const warningDays = 60;

interface EndWarning {
  hasEnded: boolean;
  text: string;
}

/** One sentence for each configured API version that has ended or will end soon, and for a retired objective. */
export const versionWarnings = (config: PlatformsConfig, now: Date): EndWarning[] => [
  ...versionEnds(config, now)
    .filter(({ daysLeft }) => daysLeft <= warningDays)
    .map(({ platform, version, setting, endsOn, daysLeft, isEstimate }) => {
      const hasEnded = daysLeft < 0;
      const when = `${hasEnded ? 'ended' : 'ends'} ${isEstimate ? 'about' : 'on'} ${endsOn}`;
      return {
        hasEnded,
        text: `API version ${version} of platform ${platform} ${when}: set ${setting} to a newer one`,
      };
    }),
  ...objectiveWarning(config, now),
];

/** Pinterest accepts no new campaigns with the former conversion objective from this day on. */
const objectiveEndsOn = '2027-02-01';

function objectiveWarning({ C: { conversionObjective } }: PlatformsConfig, now: Date): EndWarning[] {
  if (conversionObjective === 'SALES') return [];
  const hasEnded = now.getTime() >= Date.parse(objectiveEndsOn);
  const text = `Platform C accepts no campaigns with the objective ${conversionObjective} from ${objectiveEndsOn} on: set PLATFORM_C_CONVERSION_OBJECTIVE to SALES`;
  return [{ hasEnded, text }];
}
