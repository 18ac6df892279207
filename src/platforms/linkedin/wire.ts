import { z } from 'zod';
import { AmountText, Figure, Milliseconds, PlatformId, tolerant } from '../tolerant.ts';

const text = z.string().optional().nullable();
const Id = PlatformId;
const Money = z.object({ amount: AmountText, currencyCode: z.string() });
const Stamps = z.object({ created: z.object({ time: Milliseconds.optional() }).optional() }).optional();

export const AdAccountWire = z.object({
  id: Id,
  name: z.string().default(''),
  currency: z.string(),
  reference: text,
  status: text,
  servingStatuses: z.array(z.string()).optional().nullable(),
});
export type AdAccountWire = z.infer<typeof AdAccountWire>;

const runSchedule = z.object({ start: Milliseconds.optional(), end: Milliseconds.optional() }).optional().nullable();

export const CampaignGroup = z.object({
  id: Id,
  name: z.string().default(''),
  status: z.string(),
  budgetOptimization: z.object({ budgetOptimizationStrategy: text }).optional().nullable(),
  dailyBudget: Money.optional().nullable(),
  totalBudget: Money.optional().nullable(),
  runSchedule,
  changeAuditStamps: Stamps,
});
const facets = z.object({ or: z.record(z.string(), z.array(z.string())) });
const Targeting = z
  .object({ include: z.object({ and: z.array(facets) }).optional(), exclude: facets.optional() })
  .optional()
  .nullable();
export const Campaign = z.object({
  id: Id,
  name: z.string().default(''),
  status: z.string(),
  campaignGroup: z.string(),
  objectiveType: text,
  dailyBudget: Money.optional().nullable(),
  totalBudget: Money.optional().nullable(),
  unitCost: Money.optional().nullable(),
  optimizationTargetType: text,
  targetingCriteria: Targeting,
  politicalIntent: text,
  runSchedule,
  changeAuditStamps: Stamps,
});
export const Creative = z.object({
  id: Id,
  name: text,
  campaign: z.string(),
  intendedStatus: text,
  review: z
    .object({ status: text, rejectionReasons: z.array(z.string()).optional() })
    .optional()
    .nullable(),
  createdAt: Milliseconds.optional(),
});
export type CampaignGroup = z.infer<typeof CampaignGroup>;
export type Campaign = z.infer<typeof Campaign>;
export type Creative = z.infer<typeof Creative>;

export const ImageUpload = z.object({ value: z.object({ uploadUrl: z.string(), image: z.string() }) });
export const VideoUpload = z.object({
  value: z.object({
    video: z.string(),
    uploadToken: z.string().default(''),
    uploadInstructions: z.array(z.object({ uploadUrl: z.string(), firstByte: z.number(), lastByte: z.number() })),
  }),
});
export const MediaStatus = z.object({ status: z.string() });
export const Post = z.object({
  id: z.string(),
  adContext: z.object({ dscName: text }).optional().nullable(),
});
/** A requested metric that the response omits is zero. */
const figure = Figure.default(0);
const AnalyticsRow = z.object({
  pivotValues: z.array(z.string()).min(1),
  impressions: figure,
  clicks: figure,
  costInLocalCurrency: figure,
});
export const Analytics = z.object({
  elements: z.array(
    tolerant(AnalyticsRow, {
      objectType: 'figures',
      idAt: (row) => [(row as { pivotValues?: unknown } | null)?.pivotValues].flat()[0],
      essential: ['impressions', 'clicks', 'costInLocalCurrency'],
    }),
  ),
});
export const TargetingEntities = z.object({
  elements: z.array(z.object({ urn: z.string(), name: z.string(), facetUrn: z.string().optional() })),
});
export const Schedule = z.object({
  runSchedule: z.object({ start: z.number().optional(), end: z.number().optional() }).optional(),
});

export const dateOf = (time: number | undefined): Date | undefined => (time === undefined ? undefined : new Date(time));
