import type { AccountPlatform, AdPlatform } from '../contract/platforms.ts';

/** Owner fields of a record of the ads tree. */
export interface TreeOwner {
  userId: string;
  profileId: string;
  accountId: string;
  platform: AccountPlatform;
  adPlatform: AdPlatform;
  platformAdAccountId: string;
  /** The currency of the ad account; missing in records of earlier versions. */
  currency?: string | null;
}

const required = { type: String, required: true };

export const ownerFields = {
  userId: required,
  profileId: required,
  accountId: required,
  platform: required,
  adPlatform: required,
  platformAdAccountId: required,
  currency: { type: String, default: null },
};
