/** The environment that points every platform to the sandbox at this URL. */
export function sandboxSettings(url: string): Record<string, string> {
  const app = (prefix: string) => ({
    [`${prefix}_CLIENT_ID`]: 'sandbox-app',
    [`${prefix}_CLIENT_SECRET`]: 'sandbox-app-secret',
  });
  const at = (prefix: string, name: string, base: string) => ({
    [`${prefix}_BASE_URL`]: `${url}/${base}`,
    [`${prefix}_AUTH_URL`]: `${url}/consent/${name}`,
    ...app(prefix),
  });
  return {
    ...at('PLATFORM_A', 'network-a', 'network-a'),
    ...at('PLATFORM_B', 'search-display', 'search-display'),
    PLATFORM_B_TOKEN_URL: `${url}/search-display/token`,
    PLATFORM_B_DEVELOPER_TOKEN: 'sandbox-developer-token',
    ...at('PLATFORM_C', 'pin-board', 'pin-board'),
    ...at('PLATFORM_D', 'network-c', 'network-c/open_api'),
    ...at('PLATFORM_E', 'microblog', 'microblog'),
    PLATFORM_E_API_URL: `${url}/microblog`,
    PLATFORM_E_CLIENT_ID: 'sandbox-consumer-key',
    PLATFORM_E_CLIENT_SECRET: 'sandbox-consumer-secret',
    ...at('PLATFORM_F', 'professional', 'professional/rest'),
    PLATFORM_F_TOKEN_URL: `${url}/professional/oauth/v2/accessToken`,
    ...at('LISTING', 'listing', 'listing/info/v1'),
    LISTING_ACCOUNT_URL: `${url}/listing/account/v1`,
    LISTING_TOKEN_URL: `${url}/listing/token`,
    ...at('EPHEMERAL_MESSAGING', 'ephemeral-messaging', 'ephemeral-messaging/v1'),
    EPHEMERAL_MESSAGING_ADS_URL: `${url}/ephemeral-messaging/adsapi/v1`,
    EPHEMERAL_MESSAGING_TOKEN_URL: `${url}/ephemeral-messaging/login/oauth2/access_token`,
  };
}
