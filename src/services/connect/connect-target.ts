import { AppError } from '../../contract/error.ts';
import { adPlatformOf, type AccountPlatform } from '../../contract/platforms.ts';
import type { ProfileDoc } from '../../models/profile.ts';
import type { Connector } from '../../platforms/connect.ts';
import { requireProfile } from '../access.ts';
import type { Ctx, Services } from '../context.ts';
import { toProfiles } from '../profiles/to-profile.ts';

/** What error messages call a kind of account. */
export const platformName = (platform: AccountPlatform): string => adPlatformOf(platform) ?? platform;

/** The connector of a kind of account; 501 if no app is configured for the platform. */
export function requireConnector({ connectors }: Pick<Services, 'connectors'>, platform: AccountPlatform): Connector {
  const connector = connectors[platform];
  if (connector?.isReady) return connector;
  throw new AppError(
    'unsupported_platform_operation',
    `This installation cannot connect ${platform}: its operator must set the client id and secret of an app there`,
    { platform: platformName(platform) },
  );
}

/** The profile to connect to: 403 if the key cannot access it or it exceeds the plan. */
export async function requireOpenProfile(ctx: Pick<Ctx, 'db' | 'caller'>, profileId: string): Promise<ProfileDoc> {
  const profile = await requireProfile(ctx as Ctx, profileId, 'profile_forbidden');
  const [record] = await toProfiles(ctx as Ctx, [profile]);
  if (!record?.isOverLimit) return profile;
  const message = `The profile ${profileId} exceeds the limits of the plan ${ctx.caller.plan}`;
  throw new AppError('profile_limit_exceeded', message, { param: 'profileId' });
}

/** A connect token is valid for one kind of account. */
export function requireConnectPlatform({ caller }: Pick<Ctx, 'caller'>, kinds: AccountPlatform[]): void {
  if (caller.connectPlatform === undefined || kinds.includes(caller.connectPlatform)) return;
  throw new AppError('insufficient_permissions', `This connect token is for ${caller.connectPlatform} only`);
}
