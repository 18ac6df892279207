import type { Access, AdAccount } from './platform.ts';

export type CopyStatus = 'ACTIVE' | 'PAUSED' | 'INHERITED_FROM_SOURCE';
export type RenameStrategy = 'DEEP_RENAME' | 'ONLY_TOP_LEVEL_RENAME' | 'NO_RENAME';

export interface CopyOptions {
  deepCopy: boolean;
  statusOption: CopyStatus;
  /** Instants with an offset; they shift the schedule of the whole copy. */
  startTime?: string;
  endTime?: string;
  renameStrategy: RenameStrategy;
  renamePrefix?: string;
  renameSuffix?: string;
}

export interface CopyOrder {
  /** Identical on every repetition; upstream request ids are derived from it. */
  operationId: string;
  adAccount: AdAccount;
  campaignId: string;
  options: CopyOptions;
  placedAt: Date;
}

export interface CopySource {
  id: string;
  name: string;
  /** Its own status, regardless of its parents. */
  isActive: boolean;
  /** The owner paused the copy before it was complete, so it is not activated at the end. */
  isOnHold?: boolean;
}

/** The source objects to copy. Without `deepCopy` there are no ad sets. */
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

/** One write of a copy. It may create several objects at once, or none if it only changes a status. */
export interface CopyStep {
  /** Unique within the copy and the same on every run: `campaign`, `adSet.<source id>`, `ads.<first source id>`. */
  name: string;
  makes: { kind: CopyKind; sourceId: string }[];
  /** Keys of objects that only their number distinguishes; steps that share a key never run concurrently. */
  alike?: string[];
  /** Ids that exist before the step is sent, so the step cannot have created them. */
  existingCopyIds?: () => Promise<string[]>;
  /** Creates the missing objects. May return more than requested. */
  send: (missing: CopyStep['makes']) => Promise<CopyResult>;
  /** Finds what an unanswered attempt created; `taken` has ids that belong to other steps or existed before. */
  find?: (look: CopyLook) => Promise<Copied[]>;
}

export interface CopyResult {
  copied: Copied[];
  /** The raw platform response. */
  raw?: Record<string, unknown>;
}

export interface CopyLook {
  missing: CopyStep['makes'];
  taken: ReadonlySet<string>;
  /** No request of the attempt can still arrive, so what exists now is complete. */
  isLate: boolean;
}

/** Runs the steps of a copy so that no object is created twice, even across processes; steps may run concurrently. */
export interface CopyJournal {
  run: (step: CopyStep) => Promise<CopyResult>;
  /** Id of an object's copy, if it has been created. */
  copyOf: (kind: CopyKind, sourceId: string) => string | undefined;
}

/** Campaign duplication, on the platforms that support it. Every failure is a PlatformError. */
export interface CopyAdapter {
  /** Reads the source and rejects what cannot be copied; fault `not_found` if it does not exist. */
  readTree: (access: Access, order: CopyOrder) => Promise<CopyTree>;
  /** Concurrent copies with the same key cannot be distinguished upstream. */
  conflictKey: (order: CopyOrder, tree: CopyTree) => string;
  /** Creates the campaign, paused if children follow, and returns the platform's response. */
  copyCampaign: (access: Access, order: CopyOrder & { tree: CopyTree }, journal: CopyJournal) => Promise<CopyResult>;
  /** Creates all children, then activates the campaign if requested. */
  copyRest: (access: Access, order: CopyOrder & { tree: CopyTree }, journal: CopyJournal) => Promise<void>;
}

/** Whether a copied object is active. */
export const isCopyActive = (
  { statusOption }: CopyOptions,
  { isActive, isOnHold = false }: Pick<CopySource, 'isActive' | 'isOnHold'>,
): boolean => !isOnHold && (statusOption === 'INHERITED_FROM_SOURCE' ? isActive : statusOption === 'ACTIVE');

const renamed: Record<RenameStrategy, CopyKind[]> = {
  DEEP_RENAME: ['campaign', 'adSet', 'ad'],
  ONLY_TOP_LEVEL_RENAME: ['campaign'],
  NO_RENAME: [],
};

export const isRenamed = ({ renameStrategy }: CopyOptions, kind: CopyKind): boolean =>
  renamed[renameStrategy].includes(kind);

/** Name of a copy. A name that would be too long is shortened to keep prefix and suffix. */
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
