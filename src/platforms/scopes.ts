import type { AccountPlatform } from '../contract/platforms.ts';

/** Uses of an account that platforms grant separately. */
export type ScopeUse = 'connect' | 'readAds' | 'readFigures' | 'changeAds' | 'createAds' | 'editListing';

export interface ScopeTable {
  /** Scopes that the consent URL requests and that the app must be approved for. */
  asked: string[];
  /** Separator of scopes in the consent URL; a space by default. */
  separator?: string;
  /** Each use requires one scope of every entry; the first is the one to request. */
  needs: Partial<Record<ScopeUse, string[][]>>;
}

const words = (text: string): string[] => text.split(' ');
const all = (text: string): string[][] => words(text).map((scope) => [scope]);

const pagesOf = (extra = ''): ScopeTable => ({
  asked: words(
    'pages_show_list pages_read_engagement pages_manage_ads pages_manage_posts ads_management ads_read business_management instagram_basic',
  ),
  separator: ',',
  needs: {
    connect: all(`pages_show_list${extra}`),
    readAds: [['ads_read', 'ads_management']],
    changeAds: all('ads_management'),
    createAds: all(`ads_management pages_read_engagement pages_manage_ads${extra}`),
  },
});
const searchAds = [['https://www.googleapis.com/auth/adwords']];
const business = [['https://www.googleapis.com/auth/business.manage']];

/** The scopes that a rejection names as missing. */
export function namedScopes(platform: AccountPlatform, text: string): string[] | undefined {
  const said = new Set(text.split(/[^\w:./-]+/).map((word) => word.replace(/[.:]+$/, '')));
  const named = scopeTables[platform].asked.filter((scope) => said.has(scope));
  return named.length > 0 ? named : undefined;
}

/** The scopes of all platforms, for consent URLs, docs/platforms.md, account health and checks before calls. */
export const scopeTables: Record<AccountPlatform, ScopeTable> = {
  'network-a': pagesOf(),
  'network-b': pagesOf(' instagram_basic'),
  'search-display': {
    asked: ['https://www.googleapis.com/auth/adwords', 'openid', 'email', 'profile'],
    needs: { readAds: searchAds, changeAds: searchAds, createAds: searchAds },
  },
  'pin-board': {
    asked: words(
      'ads:read ads:write boards:read boards:write boards:read_secret pins:read pins:write pins:read_secret user_accounts:read',
    ),
    separator: ',',
    needs: {
      connect: all('user_accounts:read'),
      readAds: all('ads:read'),
      changeAds: all('ads:read ads:write'),
      createAds: all('ads:read ads:write boards:read boards:write pins:read pins:write'),
    },
  },
  // It requests whatever the app is approved for, and reports undocumented numbers.
  'network-c': { asked: [], needs: {} },
  // Its ads authorisation has no scopes; these are for posting.
  microblog: {
    asked: words('tweet.read tweet.write users.read offline.access'),
    needs: { connect: all('users.read tweet.read offline.access') },
  },
  professional: {
    asked: words('r_ads rw_ads r_ads_reporting r_organization_social w_organization_social rw_organization_admin'),
    needs: {
      connect: [['rw_organization_admin', 'r_organization_admin']],
      readAds: [['r_ads', 'rw_ads']],
      readFigures: all('r_ads_reporting'),
      changeAds: all('rw_ads'),
      createAds: all('rw_ads r_organization_social w_organization_social'),
    },
  },
  listing: {
    asked: ['https://www.googleapis.com/auth/business.manage'],
    needs: { connect: business, editListing: business },
  },
  'ephemeral-messaging': {
    asked: words('snapchat-profile-api snapchat-marketing-api'),
    needs: { connect: all('snapchat-profile-api snapchat-marketing-api') },
  },
};
