import type { AdPlatform } from '../../contract/platforms.ts';
import type { ReportLevel } from '../../contract/reporting/metrics.ts';

/** One level of one ad account: what is stored together. */
export interface FigureTarget {
  accountId: string;
  platform: AdPlatform;
  adAccount: { id: string };
  level: ReportLevel;
  /** The time zone of the days. */
  timeZone: string;
}

/** Ids begin with the account, so that all documents of an account are one range. */
export const sourceId = ({ accountId, adAccount }: Pick<FigureTarget, 'accountId' | 'adAccount'>): string =>
  `${accountId}:${adAccount.id}`;
export const levelId = (target: FigureTarget): string => `${sourceId(target)}:${target.level}`;
export const monthId = (target: FigureTarget, month: string): string => `${levelId(target)}:${month}`;
export const figuresId = (target: FigureTarget, month: string, platformId: string): string =>
  `${monthId(target, month)}:${platformId}`;

/** The semicolon follows the colon. */
export const idsUnder = (prefix: string): { $gte: string; $lt: string } => ({ $gte: `${prefix}:`, $lt: `${prefix};` });
