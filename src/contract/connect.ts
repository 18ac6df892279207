import { z } from 'zod';
import { characterProblem, linkProblem, parseAddress } from '../lib/web-address.ts';
import { checkedBy, ObjectId, Text } from './common.ts';
import { AccountPlatform } from './platforms.ts';

/** The path names of connect flows; `social-network` creates accounts of `network-a`. */
export const ConnectPlatform = z.enum(['social-network', ...AccountPlatform.options]).meta({
  id: 'ConnectPlatform',
  description: 'Where to connect an account; `social-network` is another word for `network-a`',
});
export type ConnectPlatform = z.infer<typeof ConnectPlatform>;

export const accountPlatformOf = (platform: ConnectPlatform): AccountPlatform =>
  platform === 'social-network' ? 'network-a' : platform;

/** Schemes that a browser would execute or display instead of opening an app. */
const unsafeSchemes =
  /^(javascript|data|vbscript|file|filesystem|blob|about|view-source|wss?|ftp|mailto|tel|sms|intent):/i;
function returnProblem(text: string): string | undefined {
  const problem = characterProblem(text);
  if (problem) return problem;
  if (/^https?:/i.test(text)) return linkProblem(text);
  if (!unsafeSchemes.test(text) && /^[a-z][a-z0-9+.-]+:./i.test(text) && parseAddress(text)) return undefined;
  return 'must be an http or https address or one of an app of yours, such as myapp://connected';
}

export const RedirectUrl = z
  .string()
  .trim()
  .max(2048, 'must be at most 2048 characters')
  .superRefine(checkedBy(returnProblem))
  .describe('Where the browser goes at the end: http, https or a custom app scheme. Query and fragment are kept');

const ProfileId = ObjectId.describe('The profile that the account belongs to');
const State = z
  .string()
  .max(1024)
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
  .describe('Comes back on the redirect as it is; against forged answers');
const TempToken = z
  .string()
  .min(1)
  .max(8192)
  .regex(/^\S+$/, 'must not contain spaces')
  .describe('From the redirect, good for 15 minutes and one account; or a token of the platform that you got yourself');

export const StartConnectInput = z
  .strictObject({
    platform: ConnectPlatform,
    profileId: ProfileId,
    redirect_url: RedirectUrl.optional(),
    state: State.optional(),
    accountId: ObjectId.optional().describe('Connect this account again: 409 when the person chooses another one'),
  })
  .meta({ id: 'StartConnectInput', description: 'Which kind of account to connect, and where the browser goes then' });
export type StartConnectInput = z.output<typeof StartConnectInput>;

export const StartAdsConnectInput = z
  .strictObject({
    platform: ConnectPlatform,
    accountId: ObjectId.describe('The connected account that is to make ads'),
    redirect_url: RedirectUrl.optional(),
    state: State.optional(),
  })
  .meta({ id: 'StartAdsConnectInput', description: 'Which connected account is to make ads' });
export type StartAdsConnectInput = z.output<typeof StartAdsConnectInput>;

export const StartConnectPayload = z
  .strictObject({
    authUrl: z.string().describe('Send the browser there within ten minutes; it works once'),
    state: z.string().describe('What `state` will be on the redirect: yours, or one that was made here'),
  })
  .meta({ id: 'StartConnectPayload', description: 'Where a person agrees' });
export type StartConnectPayload = z.infer<typeof StartConnectPayload>;

export const ConnectChoicesInput = z
  .strictObject({ profileId: ProfileId, tempToken: TempToken })
  .meta({ id: 'ConnectChoicesInput' });
export type ConnectChoicesInput = z.output<typeof ConnectChoicesInput>;

export const ConnectPage = z
  .strictObject({
    id: z.string().describe('`pageId` of the selection'),
    name: z.string().describe('Its name at the platform'),
    category: z.string().nullable().describe('What kind of page the platform calls it'),
    profilePicture: z.string().nullable().describe('Address of the picture'),
    photoUsername: z.string().nullable().describe('The photo-sharing account that hangs on it'),
  })
  .meta({ id: 'ConnectPage', description: 'A page that the person may post or advertise for' });

export const RefusedPage = z
  .strictObject({
    id: z.string().describe('Its id at the platform'),
    name: z.string().describe('Its name at the platform'),
  })
  .meta({ id: 'RefusedPage', description: 'A page that the person may see but neither post nor advertise for' });

export const ConnectPagesResult = z
  .strictObject({
    pages: z.array(ConnectPage).describe('Pages that can be chosen'),
    refused: z.array(RefusedPage).describe('Pages that cannot be chosen, so that nobody looks for them in vain'),
  })
  .meta({ id: 'ConnectPagesResult', description: 'What a person may connect' });
export type ConnectPagesResult = z.infer<typeof ConnectPagesResult>;

export const ConnectPublicProfile = z
  .strictObject({
    id: z.string().describe('Its id at the platform'),
    display_name: z.string().describe('Its name at the platform'),
    username: z.string().describe('Its handle at the platform'),
    profile_image_url: z.string().nullable().describe('Address of the picture'),
    subscriber_count: z.int().nullable().describe('How many people follow it'),
  })
  .meta({ id: 'ConnectPublicProfile', description: 'A public profile that the person manages' });

export const ConnectPublicProfilesResult = z
  .strictObject({ publicProfiles: z.array(ConnectPublicProfile).describe('Public profiles that can be chosen') })
  .meta({ id: 'ConnectPublicProfilesResult', description: 'What a person may connect' });
export type ConnectPublicProfilesResult = z.infer<typeof ConnectPublicProfilesResult>;

const PersonId = Text.max(500).describe('Their id at the platform');
const Name = z.string().max(500).describe('Name at the platform');
const Handle = z.string().max(500).describe('Handle at the platform');
const Picture = z.string().max(4096).describe('Address of the picture');

export const PageUser = z
  .strictObject({ id: PersonId, name: Name.optional(), profilePicture: Picture.optional() })
  .meta({ id: 'PageUser', description: 'The person who agreed, as the redirect named them' });

export const SelectSocialNetworkPageInput = z
  .strictObject({
    profileId: ProfileId,
    pageId: Text.max(500).describe('One of the pages that are offered'),
    tempToken: TempToken,
    userProfile: PageUser,
    redirect_url: RedirectUrl.optional(),
  })
  .meta({ id: 'SelectSocialNetworkPageInput', description: 'The page to connect' });
export type SelectSocialNetworkPageInput = z.output<typeof SelectSocialNetworkPageInput>;

export const PublicProfileUser = z
  .strictObject({
    id: PersonId,
    username: Handle.optional(),
    displayName: Name.optional(),
    profilePicture: Picture.optional(),
  })
  .meta({ id: 'PublicProfileUser', description: 'The person who agreed, as the redirect named them' });

export const SelectedPublicProfile = z
  .strictObject({
    id: Text.max(500).describe('Its id at the platform'),
    display_name: Text.max(500).describe('Its name; what is stored comes from the platform'),
    username: Handle.optional(),
    profile_image_url: Picture.optional(),
    subscriber_count: z.coerce.number().min(0).optional().describe('How many people follow it'),
  })
  .meta({ id: 'SelectedPublicProfile', description: 'One of the public profiles that are offered' });

export const SelectEphemeralMessagingProfileInput = z
  .strictObject({
    profileId: ProfileId,
    selectedPublicProfile: SelectedPublicProfile,
    tempToken: TempToken,
    userProfile: PublicProfileUser,
    refreshToken: z.string().min(1).max(8192).optional().describe('Beside a token that you got yourself'),
    expiresIn: z
      .int()
      .min(1)
      .max(315_360_000)
      .optional()
      .describe('Seconds that a token which you got yourself still lives'),
    redirect_url: RedirectUrl.optional(),
  })
  .meta({ id: 'SelectEphemeralMessagingProfileInput', description: 'The public profile to connect' });
export type SelectEphemeralMessagingProfileInput = z.output<typeof SelectEphemeralMessagingProfileInput>;

export const ConnectedAccount = z
  .strictObject({
    accountId: ObjectId,
    platform: AccountPlatform,
    username: z.string().describe('Its handle at the platform'),
    displayName: z.string().describe('Its name at the platform'),
    profilePicture: z.string().nullable().describe('Address of the picture'),
    isActive: z.boolean().describe('True: it was connected just now'),
    selectedPageName: z.string().optional().describe('On platform A'),
    publicProfileName: z.string().optional().describe('On ephemeral messaging'),
  })
  .meta({ id: 'ConnectedAccount', description: 'The account as it was connected' });
export type ConnectedAccount = z.infer<typeof ConnectedAccount>;

export const SelectAccountPayload = z
  .strictObject({
    message: z.string().describe('Human-readable message'),
    redirect_url: z.string().optional().describe('Yours with the outcome added; left out when none was given'),
    account: ConnectedAccount,
  })
  .meta({ id: 'SelectAccountPayload', description: 'The connection stands' });
export type SelectAccountPayload = z.infer<typeof SelectAccountPayload>;
