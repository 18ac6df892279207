import type { Access, AdAccount } from './platform.ts';

export type CopyStatus = 'ACTIVE' | 'PAUSED' | 'INHERITED_FROM_SOURCE';
export type RenameStrategy = 'DEEP_RENAME' | 'ONLY_TOP_LEVEL_RENAME' | 'NO_RENAME';

export interface CopyOptions {
  deepCopy: boolean;
  statusOption: CopyStatus;
  /** Instants with an offset; they move the whole copy. */
  startTime?: string;
  endTime?: string;
  renameStrategy: RenameStrategy;
  renamePrefix?: string;
  renameSuffix?: string;
}

export interface CopyOrder {
  /** The same on every repetition; request ids upstream follow from it. */
  operationId: string;
  adAccount: AdAccount;
  campaignId: string;
  options: CopyOptions;
  placedAt: Date;
}

export interface CopySource {
  id: string;
  name: string;
  /** Its own switch, whatever its parents say. */
  isActive: boolean;
  /** The owner has paused the copy before it was whole: it is not switched on at its end. */
  isHeld?: boolean;
}

/** What is to be copied. Without deepCopy it holds no ad sets. */
export interface CopyTree {
  campaign: CopySource;
  adSets: (CopySource & { ads: CopySource[] })[];
}

export type CopyKind = 'campaign' | 'adSet' | 'ad';

export interface Copied {
  kind: CopyKind;
  sourceId: string;
  copiedId: string;
}

/** One write of a copy. It may make several objects at once, or none where it only switches something. */
export interface CopyStep {
  /** Unique within the copy and the same on every run: `campaign`, `adSet.<source id>`, `ads.<first source id>`. */
  name: string;
  makes: { kind: CopyKind; sourceId: string }[];
  /** What is told apart by counting alone; steps that share one of these are never open at once. */
  alike?: string[];
  /** Ids that are there before it is sent and so cannot be its own. */
  standing?: () => Promise<string[]>;
  /** Makes what is still missing. May answer more than was asked for. */
  send: (missing: CopyStep['makes']) => Promise<CopyMade>;
  /** Looks for what an unanswered attempt made; ids that belong to other steps or stood before are in `taken`. */
  find?: (look: CopyLook) => Promise<Copied[]>;
}

export interface CopyMade {
  copied: Copied[];
  /** The platform's own answer. */
  raw?: Record<string, unknown>;
}

export interface CopyLook {
  missing: CopyStep['makes'];
  taken: ReadonlySet<string>;
  /** Nothing of the attempt can arrive any more: what is there now is all. */
  isLate: boolean;
}

/** Runs the steps of a copy so that no object is made twice, whatever process carries on; steps may run side by side. */
export interface CopyJournal {
  run: (step: CopyStep) => Promise<CopyMade>;
  /** The copy of an object, as far as it is made. */
  copyOf: (kind: CopyKind, sourceId: string) => string | undefined;
}

/** How campaigns are copied, on the platforms that have it. Every failure is a PlatformError. */
export interface CopyAdapter {
  /** Which of the ad accounts a campaign is in; undefined when none of them has it. */
  findCampaign: (access: Access, adAccounts: AdAccount[], campaignId: string) => Promise<AdAccount | undefined>;
  /** Reads what is to be copied and refuses what cannot be; fault `not_found` when it is not there. */
  readTree: (access: Access, order: CopyOrder) => Promise<CopyTree>;
  /** Two copies with the same one cannot be told apart upstream while they are being made. */
  conflictKey: (order: CopyOrder, tree: CopyTree) => string;
  /** Makes the campaign itself, paused where more is to come, and answers what the platform said. */
  copyCampaign: (access: Access, order: CopyOrder & { tree: CopyTree }, journal: CopyJournal) => Promise<CopyMade>;
  /** Makes all the rest and switches the campaign on last, where it is wanted so. */
  copyRest: (access: Access, order: CopyOrder & { tree: CopyTree }, journal: CopyJournal) => Promise<void>;
}

/** The switch of a copy. */
export const isCopyActive = (
  { statusOption }: CopyOptions,
  { isActive, isHeld = false }: Pick<CopySource, 'isActive' | 'isHeld'>,
): boolean => !isHeld && (statusOption === 'INHERITED_FROM_SOURCE' ? isActive : statusOption === 'ACTIVE');

const renamed: Record<RenameStrategy, CopyKind[]> = {
  DEEP_RENAME: ['campaign', 'adSet', 'ad'],
  ONLY_TOP_LEVEL_RENAME: ['campaign'],
  NO_RENAME: [],
};

export const isRenamed = ({ renameStrategy }: CopyOptions, kind: CopyKind): boolean =>
  renamed[renameStrategy].includes(kind);

/** The name of a copy. A name that would be too long gives way to what is put around it. */
export function copyName(
  options: CopyOptions,
  kind: CopyKind,
  { name, maxLength }: { name: string; maxLength: number },
): string {
  if (!isRenamed(options, kind)) return name;
  const { renamePrefix: prefix = '', renameSuffix = '' } = options;
  const suffix = prefix === '' && renameSuffix === '' ? ' - Copy' : renameSuffix;
  const room = maxLength - prefix.length - suffix.length;
  let kept = '';
  for (const character of name) {
    if (kept.length + character.length > room) break;
    kept += character;
  }
  return prefix + kept + suffix;
}
