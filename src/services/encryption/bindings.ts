import type { Binding, Purpose } from '../../lib/encryption.ts';

const bind =
  (purpose: Purpose) =>
  (documentId: string): Binding => ({ purpose, documentId });

/** The bindings of an account's encrypted fields. */
export const accountFields = {
  encryptedToken: bind('account.token'),
  encryptedRefreshToken: bind('account.refresh_token'),
  encryptedAdsToken: bind('account.ads_token'),
  encryptedAdsTokenSecret: bind('account.ads_token_secret'),
};

export const webhookSecret = bind('webhook.secret');
export const webhookHeaders = bind('webhook.headers');
export const grantToken = bind('connect_grant.token');
export const grantRefreshToken = bind('connect_grant.refresh_token');
export const stateSecret = bind('connect_state.secret');
export const stateOutcome = bind('connect_state.outcome');
