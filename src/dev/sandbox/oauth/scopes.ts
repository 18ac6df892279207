/** The scopes of each platform. Those of the short-video network are undocumented numbers. */
export const platformScopes: Record<string, string[]> = {
  'network-a':
    'pages_show_list pages_read_engagement pages_manage_ads pages_manage_posts ads_management ads_read business_management instagram_basic'.split(
      ' ',
    ),
  'search-display': ['https://www.googleapis.com/auth/adwords', 'openid', 'email', 'profile'],
  'pin-board':
    'ads:read ads:write boards:read boards:write boards:read_secret pins:read pins:write pins:read_secret user_accounts:read'.split(
      ' ',
    ),
  'network-c': '4 10 11 12 13 14 15 16 17 18 19 220'.split(' '),
  microblog: 'tweet.read tweet.write users.read offline.access'.split(' '),
  professional: 'r_ads rw_ads r_ads_reporting r_organization_social w_organization_social rw_organization_admin'.split(
    ' ',
  ),
  listing: ['https://www.googleapis.com/auth/business.manage'],
  'ephemeral-messaging': ['snapchat-profile-api', 'snapchat-marketing-api'],
};

export const scopesOf = (platform: string): string[] => platformScopes[platform] ?? [];
