import type { TargetingType } from '../contract/lookup.ts';
import type { AdAccount } from './platform.ts';

export type { TargetingType } from '../contract/lookup.ts';

export interface TargetingQuery {
  type: TargetingType;
  q: string;
  /** ISO 3166-1 alpha-2, upper case. */
  countryCode?: string;
  limit: number;
  /** One of the connection's ad accounts, for platforms whose look-ups require one. */
  adAccount?: AdAccount;
}

export interface TargetingOption {
  /** The value that createAd accepts: a country's ISO code, else the platform's own key. */
  key: string;
  name: string;
  type: TargetingType;
  countryCode?: string;
  countryName?: string;
  region?: string;
}

export interface InterestOption {
  id: string;
  name: string;
  audienceSizeMin?: number;
  audienceSizeMax?: number;
  path?: string[];
}
