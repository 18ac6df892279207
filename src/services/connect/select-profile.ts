import { invalidField } from '../../contract/error.ts';
import type { SelectEphemeralMessagingProfileInput, SelectAccountPayload } from '../../contract/connect.ts';
import type { Ctx } from '../context.ts';
import { select } from './complete-selection.ts';

/** Connects a public profile. */
export const selectEphemeralMessagingProfile = (
  ctx: Ctx,
  input: SelectEphemeralMessagingProfileInput,
): Promise<SelectAccountPayload> =>
  select(ctx, {
    ...input,
    redirectUrl: input.redirect_url,
    selects: 'publicProfile',
    brought: { refreshToken: input.refreshToken, expiresIn: input.expiresIn },
    isMeant: ({ platformAccountId }) => platformAccountId === input.selectedPublicProfile.id,
    missing: () => {
      const message = 'is not a public profile that this person manages';
      return invalidField('selectedPublicProfile.id', message);
    },
    connectionOf: ({ displayName }, { token, refreshToken }) => ({
      token,
      refreshToken,
      adsConnected: false,
      publicProfileName: displayName,
    }),
  });
