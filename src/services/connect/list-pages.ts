import type { ConnectChoicesInput, ConnectPagesResult, ConnectPublicProfilesResult } from '../../contract/connect.ts';
import type { Ctx } from '../context.ts';
import { listChoices } from './list-choices.ts';

/** Lists the pages that a person can connect, without their tokens. */
export async function listConnectPages(ctx: Ctx, input: ConnectChoicesInput): Promise<ConnectPagesResult> {
  const { offered, refused } = await listChoices(ctx, input, 'page');
  const pages = offered.map((page) => ({
    id: page.pageId ?? page.platformAccountId,
    name: page.pageName ?? page.displayName,
    category: page.category ?? null,
    profilePicture: page.profilePicture ?? null,
    photoUsername: page.photoUsername ?? null,
  }));
  return { pages, refused };
}

/** Lists the public profiles that a person can connect. */
export async function listConnectPublicProfiles(
  ctx: Ctx,
  input: ConnectChoicesInput,
): Promise<ConnectPublicProfilesResult> {
  const { offered, refused } = await listChoices(ctx, input, 'publicProfile');
  const publicProfiles = offered.map((profile) => ({
    id: profile.platformAccountId,
    display_name: profile.displayName,
    username: profile.username,
    profile_image_url: profile.profilePicture ?? null,
    subscriber_count: profile.subscriberCount ?? null,
  }));
  return { publicProfiles, refused };
}
