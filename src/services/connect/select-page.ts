import { AppError } from '../../contract/error.ts';
import type { SelectAccountPayload, SelectSocialNetworkPageInput } from '../../contract/connect.ts';
import type { Ctx } from '../context.ts';
import { select } from './complete-selection.ts';

/** Connects a page, or the photo-sharing account that hangs on it where the flow was begun for that. */
export const selectSocialNetworkPage = (ctx: Ctx, input: SelectSocialNetworkPageInput): Promise<SelectAccountPayload> =>
  select(ctx, {
    ...input,
    redirectUrl: input.redirect_url,
    selects: 'page',
    isMeant: ({ pageId }) => pageId === input.pageId,
    missing: (platform) =>
      new AppError('page_not_available', `The page ${input.pageId} is not among those that this person may connect`, {
        param: 'pageId',
        platform,
      }),
    connectionOf: ({ token, pageId, pageName, photoAccountId }, grant) => {
      // The page speaks with its own token; the person's stays with the ads, which a page's cannot reach.
      if (!token)
        throw new AppError('page_not_available', 'The platform gave no token for this page', { param: 'pageId' });
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
