import { AppError } from '../../contract/error.ts';
import type { SelectAccountPayload } from '../../contract/connect.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { Choice, Grant } from '../../platforms/connect.ts';
import { PlatformError } from '../../platforms/error.ts';
import { authorOf } from '../activity/author.ts';
import type { Connection } from '../accounts/save-account.ts';
import type { Ctx } from '../context.ts';
import { appErrorFromPlatform } from '../platform-error.ts';
import { requireChoosing, type Selects } from './list-choices.ts';
import { connectAccount } from './connect-account.ts';
import { gone } from './connect-grant.ts';
import { platformName } from './connect-target.ts';
import { connectedUrl, toConnectedAccount } from './to-connected-account.ts';

export interface Selection {
  profileId: string;
  tempToken: string;
  redirectUrl?: string;
  selects: Selects;
  /** Input that accompanies a token supplied by the caller. */
  brought?: Pick<Grant, 'refreshToken' | 'expiresIn'>;
  isMeant: (choice: Choice) => boolean;
  /** The error if none of the person's choices matches. */
  missing: (platform: string) => AppError;
  /** Stored fields of the choice besides its identity. */
  connectionOf: (choice: Choice, grant: Grant) => Pick<Connection, 'token'> & Partial<Connection>;
}

/** Saves the selected page or profile. Looks it up at the platform again, because the caller's data is not trusted. */
export async function select(ctx: Ctx, selection: Selection): Promise<SelectAccountPayload> {
  const { profileId, tempToken, selects, redirectUrl } = selection;
  const choosing = await requireChoosing(ctx, { profileId, tempToken }, selects);
  try {
    const { connector, held, platform } = choosing;
    const grant = held?.grant ?? (await broughtGrant(choosing.connector, selection));
    const choice = (await connector.choices(grant)).offered.find(selection.isMeant);
    if (!choice) throw selection.missing(platformName(platform));
    const owner = { userId: ctx.caller.userId, profileId, platform };
    const connection = {
      ...identityOf(choice),
      ...expiryOf(ctx, grant),
      ...owner,
      ...selection.connectionOf(choice, grant),
    };
    if (held && !(await held.claim())) throw gone(platform);
    const account = await connectAccount(ctx, connection, { author: authorOf(ctx), requested: held?.accountId }).catch(
      async (error: unknown) => {
        await held?.release();
        throw error;
      },
    );
    return toResult(account, redirectUrl);
  } catch (error) {
    throw failureOf(error, platformName(choosing.platform));
  }
}

async function broughtGrant(
  { prolong }: { prolong?: (token: string) => Promise<Grant> },
  { tempToken, brought }: Selection,
): Promise<Grant> {
  return prolong ? prolong(tempToken) : { token: tempToken, ...brought };
}

const identityOf = ({ platformAccountId, username, displayName, profilePicture }: Choice) => ({
  platformAccountId,
  username,
  displayName,
  profilePicture: profilePicture ?? null,
});

const expiryOf = ({ clock }: Ctx, { expiresIn, scopes }: Grant): Pick<AccountDoc, 'tokenExpiresAt' | 'scopes'> => ({
  tokenExpiresAt: expiresIn === undefined ? null : new Date(clock.now().getTime() + expiresIn * 1000),
  scopes: scopes ?? null,
});

const toResult = (account: AccountDoc, redirectUrl: string | undefined): SelectAccountPayload => ({
  message: `${account.displayName} is connected`,
  ...(redirectUrl !== undefined && { redirect_url: connectedUrl(redirectUrl, account) }),
  account: toConnectedAccount(account),
});

/** Expired token: 401; rate limit: 429; anything else: 500 with nothing stored. */
function failureOf(error: unknown, platform: string): AppError {
  if (error instanceof AppError) return error;
  if (!(error instanceof PlatformError)) {
    const message = 'The account could not be saved; nothing was stored. Try again';
    return new AppError('connection_failed', message, { platform }, { cause: error });
  }
  const known = appErrorFromPlatform(error);
  if (error.fault === 'auth_expired' || error.fault === 'rate_limited') return known;
  if (known.code === 'missing_platform_permission') return known;
  const { platformError, details } = known.extras;
  return new AppError(
    'connection_failed',
    `The account could not be connected; nothing was stored: ${error.message}`,
    { platform, platformError, details },
    { cause: error },
  );
}
