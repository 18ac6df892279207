import { z } from 'zod';
import { Ad, AdStatus } from './ad.ts';
import { Cursor, Limit, ObjectId, Page, Pagination } from './common.ts';
import { AccountPlatform } from './platforms.ts';

export const ListAdsInput = z
  .strictObject({
    page: Page,
    cursor: Cursor,
    limit: Limit,
    platform: AccountPlatform.optional().describe('Only ads of accounts of this platform'),
    status: AdStatus.optional().describe('Filter by status.'),
    accountId: ObjectId.optional().describe('Only ads of this account'),
    profileId: ObjectId.optional().describe('Only ads of this profile'),
    adAccountId: z.string().max(255).optional().describe("Only ads of this ad account, by the platform's id"),
  })
  .meta({ id: 'ListAdsInput' });
export type ListAdsInput = z.output<typeof ListAdsInput>;

export const ListAdsResult = z.strictObject({ ads: z.array(Ad), pagination: Pagination }).meta({ id: 'ListAdsResult' });
export type ListAdsResult = z.infer<typeof ListAdsResult>;

export const AdIdInput = z.strictObject({ adId: ObjectId }).meta({ id: 'AdIdInput' });
export type AdIdInput = z.output<typeof AdIdInput>;

export const AdResult = z.strictObject({ ad: Ad }).meta({ id: 'AdResult' });
export type AdResult = z.infer<typeof AdResult>;
