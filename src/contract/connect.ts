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
  .describe('Returned unchanged on the redirect; protects against CSRF');
const TempToken = z
  .string()
  .min(1)
  .max(8192)
  .regex(/^\S+$/, 'must not contain spaces')
  .describe('From the redirect, valid for 15 minutes and one account; or a platform token that you obtained yourself');

export const StartConnectInput = z
  .strictObject({
    platform: ConnectPlatform,
    profileId: ProfileId,
    redirect_url: RedirectUrl.optional(),
    state: State.optional(),
    accountId: ObjectId.optional().describe('Reconnects this account: 409 if the person chooses another one'),
  })
  .meta({ id: 'StartConnectInput', description: 'The kind of account to connect, and the redirect URL' });
export type StartConnectInput = z.output<typeof StartConnectInput>;

export const StartAdsConnectInput = z
  .strictObject({
    platform: ConnectPlatform,
    accountId: ObjectId.describe('The connected account to create ads with'),
    redirect_url: RedirectUrl.optional(),
    state: State.optional(),
  })
  .meta({ id: 'StartAdsConnectInput', description: 'The connected account to create ads with' });
export type StartAdsConnectInput = z.output<typeof StartAdsConnectInput>;

export const StartConnectPayload = z
  .strictObject({
    authUrl: z.string().describe('Send the browser there within ten minutes; it works once'),
    state: z.string().describe('The `state` of the redirect: yours, or a generated one'),
  })
  .meta({ id: 'StartConnectPayload', description: 'The authorisation URL' });
export type StartConnectPayload = z.infer<typeof StartConnectPayload>;

export const ConnectChoicesInput = z
  .strictObject({ profileId: ProfileId, tempToken: TempToken })
  .meta({ id: 'ConnectChoicesInput' });
export type ConnectChoicesInput = z.output<typeof ConnectChoicesInput>;

export const ConnectPage = z
  .strictObject({
    id: z.string().describe('`pageId` of the selection'),
    name: z.string().describe('Its name at the platform'),
    category: z.string().nullable().describe('Category of the page at the platform'),
    profilePicture: z.string().nullable().describe('Address of the picture'),
    photoUsername: z.string().nullable().describe('The linked photo-sharing account'),
  })
  .meta({ id: 'ConnectPage', description: 'A page that the person can post or advertise for' });

export const RefusedPage = z
  .strictObject({
    id: z.string().describe('Its id at the platform'),
    name: z.string().describe('Its name at the platform'),
  })
  .meta({ id: 'RefusedPage', description: 'A page that the person can see but neither post nor advertise for' });

export const ConnectPagesResult = z
  .strictObject({
    pages: z.array(ConnectPage).describe('Pages that can be chosen'),
    refused: z.array(RefusedPage).describe('Pages that cannot be chosen, listed for completeness'),
  })
  .meta({ id: 'ConnectPagesResult', description: 'What a person can connect' });
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

export const RefusedOrganization = z
  .strictObject({
    id: z.string().describe('Its id at the platform'),
    name: z.string().describe('Its name at the platform'),
  })
  .meta({ id: 'RefusedOrganization', description: 'An organization whose profiles the person has no role for' });

export const ConnectPublicProfilesResult = z
  .strictObject({
    publicProfiles: z.array(ConnectPublicProfile).describe('Public profiles that can be chosen'),
    refused: z.array(RefusedOrganization).describe('Organizations whose profiles cannot be chosen'),
  })
  .meta({ id: 'ConnectPublicProfilesResult', description: 'What a person can connect' });
export type ConnectPublicProfilesResult = z.infer<typeof ConnectPublicProfilesResult>;

const PersonId = Text.max(500).describe('Their id at the platform');
const Name = z.string().max(500).describe('Name at the platform');
const Handle = z.string().max(500).describe('Handle at the platform');
const Picture = z.string().max(4096).describe('Address of the picture');

export const PageUser = z
  .strictObject({ id: PersonId, name: Name.optional(), profilePicture: Picture.optional() })
  .meta({ id: 'PageUser', description: 'The person who granted access, as named in the redirect' });

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
  .meta({ id: 'PublicProfileUser', description: 'The person who granted access, as named in the redirect' });

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
    refreshToken: z.string().min(1).max(8192).optional().describe('Required with a token that you obtained yourself'),
    expiresIn: z
      .int()
      .min(1)
      .max(315_360_000)
      .optional()
      .describe('Remaining lifetime in seconds of a token that you obtained yourself'),
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
    isActive: z.boolean().describe('Always true'),
    selectedPageName: z.string().optional().describe('On platform A'),
    publicProfileName: z.string().optional().describe('On ephemeral messaging'),
  })
  .meta({ id: 'ConnectedAccount', description: 'The account as it was connected' });
export type ConnectedAccount = z.infer<typeof ConnectedAccount>;

export const SelectAccountPayload = z
  .strictObject({
    message: z.string().describe('Human-readable message'),
    redirect_url: z.string().optional().describe('Your redirect URL with the outcome added; absent if none was given'),
    account: ConnectedAccount,
  })
  .meta({ id: 'SelectAccountPayload', description: 'The connection stands' });
export type SelectAccountPayload = z.infer<typeof SelectAccountPayload>;
