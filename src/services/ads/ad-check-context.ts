import type { AccountPlatform, AdPlatform } from '../../contract/platforms.ts';
import type { AdAccount, AdsAdapter } from '../../platforms/platform.ts';

/** What the rules need to know besides the request. */
export interface AdCheckContext {
  platform: AdPlatform;
  accountPlatform: AccountPlatform;
  adAccount: AdAccount;
  currencyFactor: (currency: string) => number;
  /** The platform's own rules on values, where it has some. */
  checkOrder?: AdsAdapter['checkOrder'];
  orderWarnings?: AdsAdapter['orderWarnings'];
  supportedEnd?: AdsAdapter['supportedEnd'];
  now: Date;
  hasPage: boolean;
  /** F: the account or the ad account is a company page. */
  hasOrganization?: boolean;
  /** D: a posting account is connected on the same profile, so ads use it as their identity by default. */
  hasPostingAccount?: boolean;
  /** D: an identity is stored from an earlier ad. */
  hasBrandIdentity?: boolean;
}
