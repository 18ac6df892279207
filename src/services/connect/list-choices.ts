import { AppError } from '../../contract/error.ts';
import { accountKinds, AccountPlatform } from '../../contract/platforms.ts';
import type { Choices, Connector, Grant } from '../../platforms/connect.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { Ctx } from '../context.ts';
import { appErrorFromPlatform } from '../platform-error.ts';
import { heldGrant, type HeldGrant } from './connect-grant.ts';
import { requireConnector, requireConnectPlatform, requireOpenProfile } from './connect-target.ts';

/** A selection or its list, after all checks that need no platform. */
export interface Choosing {
  connector: Connector & Required<Pick<Connector, 'choices'>>;
  platform: AccountPlatform;
  /** The grant of one of our handles; absent for a token supplied by the caller. */
  held?: HeldGrant;
}

/** Kinds of accounts that one selection can create: pages, or the accounts linked to them. */
export const kindsThatSelect = (selects: Selects): AccountPlatform[] =>
  AccountPlatform.options.filter((platform) => accountKinds[platform]?.selects === selects);

export type Selects = 'page' | 'publicProfile';

/** Resolves the caller, the profile and the token. A token supplied by the caller is for the first kind. */
export async function requireChoosing(
  ctx: Ctx,
  asked: { profileId: string; tempToken: string },
  selects: Selects,
): Promise<Choosing> {
  const kinds = kindsThatSelect(selects);
  const [usual] = kinds as [AccountPlatform];
  await requireOpenProfile(ctx, asked.profileId);
  const held = await heldGrant(ctx, asked);
  if (held && !kinds.includes(held.platform)) {
    throw new AppError('platform_token_expired', `This tempToken is for ${held.platform}`, { param: 'tempToken' });
  }
  const platform = held?.platform ?? ctx.caller.connectPlatform ?? usual;
  requireConnectPlatform(ctx, [platform]);
  const connector = requireConnector(ctx, platform);
  const { choices } = connector;
  if (!choices) throw new AppError('unsupported_platform_operation', `${platform} has no selection step`);
  return { connector: { ...connector, choices }, platform, held };
}

/** Lists everything the person can connect. */
export async function listChoices(
  ctx: Ctx,
  asked: { profileId: string; tempToken: string },
  selects: Selects,
): Promise<Choices> {
  const { connector, held } = await requireChoosing(ctx, asked, selects);
  const grant: Grant = held?.grant ?? { token: asked.tempToken };
  return connector.choices(grant).catch((error: unknown) => {
    throw error instanceof PlatformError ? appErrorFromPlatform(error) : error;
  });
}
