import { z } from 'zod';
import { InstantOut, ObjectId } from './common.ts';

const Moment = InstantOut.nullable();

export const DiscoveryStatus = z.enum(['queued', 'running', 'completed', 'failed']).meta({
  id: 'DiscoveryStatus',
  description: 'Status of a discovery. `failed`: the connection needs reauthorisation, or no ad account could be read',
});

export const DiscoveryFailure = z
  .strictObject({
    adAccountId: z.string().describe("The platform's id of the ad account"),
    message: z.string().describe('Message of the platform'),
  })
  .meta({ id: 'DiscoveryFailure', description: 'An ad account that could not be read completely' });

export const DiscoveryObjectType = z.enum(['ad_account', 'campaign', 'ad_set', 'ad', 'creative', 'figures']).meta({
  id: 'DiscoveryObjectType',
  description: 'Type of an object that could not be read; `figures` means the metrics of an object',
});

export const DiscoveryProblem = z
  .strictObject({
    adAccountId: z.string().nullable().describe('The ad account; null for an entry of the list of ad accounts'),
    objectType: DiscoveryObjectType,
    platformId: z.string().nullable().describe("The platform's id of the object; null if the id cannot be read"),
    field: z
      .string()
      .nullable()
      .describe("The platform's name for the field; null if the whole object could not be read"),
    message: z.string().describe('What is wrong with it'),
  })
  .meta({
    id: 'DiscoveryProblem',
    description: 'An object that could not be parsed; the discovery continues with the others',
  });

export type DiscoveryProblem = z.infer<typeof DiscoveryProblem>;

export const CampaignDiscovery = z
  .strictObject({
    accountId: ObjectId.describe('The account whose ads are read'),
    status: DiscoveryStatus,
    adAccounts: z.int().describe('Ad accounts read completely so far'),
    campaigns: z.int().describe('Campaigns seen so far'),
    adSets: z.int().describe('Ad sets seen so far'),
    ads: z.int().describe('Ads seen so far'),
    failures: z.array(DiscoveryFailure).describe('Ad accounts that could not be read; the others were'),
    problems: z
      .array(DiscoveryProblem)
      .describe('The first 100 objects that could not be parsed, as a whole or in part; their stored values stay'),
    problemCount: z.int().describe('Total number of problems'),
    error: z.string().nullable().describe('Why it failed'),
    runAgain: z.boolean().describe('It was requested again during the run, so another run follows'),
    queuedAt: Moment.describe('When it was requested'),
    startedAt: Moment.describe('When the run started'),
    finishedAt: Moment.describe('When the run ended'),
  })
  .meta({ id: 'CampaignDiscovery', description: "Progress of the discovery of an account's campaigns" });
export type CampaignDiscovery = z.infer<typeof CampaignDiscovery>;

export const DiscoveryInput = z
  .strictObject({ accountId: ObjectId.describe('The connected account') })
  .meta({ id: 'DiscoveryInput' });
export type DiscoveryInput = z.output<typeof DiscoveryInput>;

export const DiscoverCampaignsPayload = z
  .strictObject({ discovery: CampaignDiscovery, message: z.string().describe('Human-readable message') })
  .meta({ id: 'DiscoverCampaignsPayload', description: 'The requested discovery' });
export type DiscoverCampaignsPayload = z.infer<typeof DiscoverCampaignsPayload>;

export const CampaignDiscoveryResult = z
  .strictObject({ discovery: CampaignDiscovery.nullable().describe('Null before the first request') })
  .meta({ id: 'CampaignDiscoveryResult' });
export type CampaignDiscoveryResult = z.infer<typeof CampaignDiscoveryResult>;
