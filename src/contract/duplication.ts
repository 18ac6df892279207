import { z } from 'zod';
import { Instant, InstantOut, ObjectId, Text, Warning } from './common.ts';
import { AccountPlatform } from './platforms.ts';
import { withLimits } from './limits.ts';

export const CopyStatusOption = z.enum(['ACTIVE', 'PAUSED', 'INHERITED_FROM_SOURCE']).meta({
  id: 'CopyStatusOption',
  description:
    'Status of the copies; with INHERITED_FROM_SOURCE each campaign, ad set and ad has the status of its own source',
});

export const RenameStrategy = z.enum(['DEEP_RENAME', 'ONLY_TOP_LEVEL_RENAME', 'NO_RENAME']).meta({
  id: 'RenameStrategy',
  description: 'Which names get prefix and suffix: all, only the campaign, none',
});

// Spaces at the ends are kept: they separate the affix from the name.
const Affix = z
  .string()
  .min(1)
  .max(100)
  .refine((text) => !/[\p{Cs}\p{Cc}]/u.test(text), 'must be well-formed Unicode without control characters');

export const DuplicateCampaignInput = z
  .strictObject({
    campaignId: Text.max(64).describe("The source campaign's id at the platform"),
    platform: AccountPlatform,
    accountId: ObjectId.optional().describe('The connected account to search with; by default all of that platform'),
    deepCopy: z.boolean().default(true).describe('Copies ad sets, ads, creatives and targeting too'),
    statusOption: CopyStatusOption.default('PAUSED').describe('PAUSED by default'),
    startTime: Instant.optional().describe('When the copied hierarchy starts'),
    endTime: Instant.optional().describe('When the copied hierarchy ends; in the future, after startTime'),
    renameStrategy: RenameStrategy.optional().describe(
      'NO_RENAME by default, ONLY_TOP_LEVEL_RENAME with a prefix or suffix',
    ),
    renamePrefix: withLimits(Affix.optional(), 'Text before the name, spaces included'),
    renameSuffix: withLimits(Affix.optional(), 'Text after the name, spaces included'),
    syncAfter: z.boolean().default(true).describe('Discovers the ads of the account after the copy'),
  })
  .meta({ id: 'DuplicateCampaignInput', description: 'Copies a campaign within its ad account' });
export type DuplicateCampaignInput = z.output<typeof DuplicateCampaignInput>;

export const DiscoveryOutcome = z.enum(['triggered', 'skipped', 'failed']).meta({
  id: 'DiscoveryOutcome',
  description: 'Whether ads discovery was triggered; `failed`: copied, but it could not be recorded',
});
export type DiscoveryOutcome = z.infer<typeof DiscoveryOutcome>;

const Free = z.record(z.string(), z.unknown());

export const DuplicateCampaignPayload = z
  .strictObject({
    copiedCampaignId: z.string().describe("The new campaign's id at the platform"),
    discovery: DiscoveryOutcome,
    raw: Free.describe("The platform's own answer; on A with the ids of all objects that came with it"),
    duplicationId: ObjectId.describe('Id to track the rest of a larger copy'),
    warnings: z.array(Warning).optional().describe('Ignored fields and reasons.'),
  })
  .meta({
    id: 'DuplicateCampaignPayload',
    description: 'The campaign is copied; a larger tree is copied in the background',
  });
export type DuplicateCampaignPayload = z.infer<typeof DuplicateCampaignPayload>;

export const DuplicationStatus = z.enum(['running', 'completed', 'failed']).meta({
  id: 'DuplicationStatus',
  description: 'Status of a duplication',
});

export const CopyCount = z
  .strictObject({ copied: z.int().describe('Copied so far'), total: z.int().describe('To be copied') })
  .meta({ id: 'CopyCount', description: 'How many of a kind are copied' });

const progress = {
  _id: ObjectId,
  status: DuplicationStatus,
  platform: AccountPlatform,
  accountId: ObjectId.describe('The account that owns source and copy'),
  profileId: ObjectId,
  sourceCampaignId: z.string().describe('What is copied'),
  copiedCampaignId: z.string().nullable().describe('The copy, once it exists'),
  adSets: CopyCount,
  ads: CopyCount,
  error: z.string().nullable().describe('Why it failed, or what it waits for'),
  createdAt: InstantOut,
  finishedAt: InstantOut.nullable(),
};

export const DuplicationProgress = z
  .strictObject(progress)
  .meta({ id: 'DuplicationProgress', description: 'Progress of a duplication' });
export type DuplicationProgress = z.infer<typeof DuplicationProgress>;

export const CopiedObject = z
  .strictObject({
    type: z.enum(['campaign', 'ad_set', 'ad']).meta({ id: 'CopiedObjectType', description: 'What was copied' }),
    sourceId: z.string().describe("The source's id at the platform"),
    copiedId: z.string().describe("The copy's id at the platform"),
  })
  .meta({ id: 'CopiedObject', description: 'An object and its copy' });

export const CampaignDuplication = z
  .strictObject({ ...progress, objects: z.array(CopiedObject).describe('Everything copied so far') })
  .meta({ id: 'CampaignDuplication', description: 'A duplication with everything it has created' });
export type CampaignDuplication = z.infer<typeof CampaignDuplication>;

export const DuplicationInput = z
  .strictObject({ duplicationId: ObjectId.describe('As returned by duplicateCampaign') })
  .meta({ id: 'DuplicationInput' });
export type DuplicationInput = z.output<typeof DuplicationInput>;

export const CampaignDuplicationResult = z
  .strictObject({ duplication: CampaignDuplication })
  .meta({ id: 'CampaignDuplicationResult' });
export type CampaignDuplicationResult = z.infer<typeof CampaignDuplicationResult>;
