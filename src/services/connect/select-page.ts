import { AppError } from '../../contract/error.ts';
import type { SelectAccountPayload, SelectSocialNetworkPageInput } from '../../contract/connect.ts';
import type { Ctx } from '../context.ts';
import { select } from './complete-selection.ts';

/** Connects a page, or its linked photo-sharing account if the flow was started for that. */
export const selectSocialNetworkPage = (ctx: Ctx, input: SelectSocialNetworkPageInput): Promise<SelectAccountPayload> =>
  select(ctx, {
    ...input,
    redirectUrl: input.redirect_url,
    selects: 'page',
    isMeant: ({ pageId }) => pageId === input.pageId,
    missing: (platform) =>
      new AppError('page_not_available', `The page ${input.pageId} is not one that this person can connect`, {
        param: 'pageId',
        platform,
      }),
    connectionOf: ({ token, pageId, pageName, photoAccountId }, grant) => {
      // The page uses its own token; the person's is kept for ads, which a page token cannot access.
      if (!token)
        throw new AppError('page_not_available', 'The platform returned no token for this page', { param: 'pageId' });
      return {
        token,
        adsToken: grant.token,
        refreshToken: grant.refreshToken,
        adsConnected: true,
        pageId,
        selectedPageName: pageName,
        photoAccountId: photoAccountId ?? null,
      };
    },
  });
