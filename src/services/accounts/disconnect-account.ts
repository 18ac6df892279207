import type { GetAccountInput } from '../../contract/account.ts';
import type { AccountDoc } from '../../models/account.ts';
import { requireAccount } from '../access.ts';
import type { Ctx } from '../context.ts';
import { accountFields } from '../encryption/bindings.ts';
import { isDeferred } from '../encryption/deferring-encrypter.ts';
import { forgetFigures } from '../reports/forget-figures.ts';
import { authorOf } from '../activity/author.ts';
import { accountItems } from './account-event.ts';

/** Ends a connection: its tokens are erased here at once, and given up at the platform where that can be done. */
export async function disconnectAccount(ctx: Ctx, { accountId }: GetAccountInput): Promise<{ success: true }> {
  for (;;) {
    const account = await requireAccount(ctx, accountId);
    const tokens = tokensOf(ctx, account);
    // Before and after, so that neither a crash nor a read under way leaves any.
    await forgetFigures(ctx.db, accountId);
    if (!(await erased(ctx, account))) continue;
    await forgetFigures(ctx.db, accountId);
    ctx.wakeRelay();
    if (tokens) await revoke(ctx, account, tokens);
    return { success: true };
  }
}

/** Returns false if another process changed the account meanwhile. The record stays, so that reconnecting keeps its id. */
async function erased(ctx: Ctx, account: AccountDoc): Promise<boolean> {
  const { db, clock } = ctx;
  const now = clock.now();
  const items = accountItems('account.disconnected', account, { author: authorOf(ctx), at: now });
  const { modifiedCount } = await db.accounts.updateOne(
    { _id: account._id, sequence: account.sequence, disconnectedAt: null },
    {
      $set: {
        disconnectedAt: now,
        isActive: false,
        needsReconnect: false,
        adsConnected: false,
        encryptedToken: null,
        encryptedRefreshToken: null,
        encryptedAdsToken: null,
        encryptedAdsTokenSecret: null,
        tokenExpiresAt: null,
        refreshAt: null,
        refreshLease: null,
        lastRefreshError: null,
        scopes: null,
        adAccounts: [],
        adAccountsAt: null,
        platformState: {},
      },
      $inc: { sequence: 1 },
      $push: { pendingEvents: { $each: items } },
    },
  );
  return modifiedCount > 0;
}

type Tokens = Parameters<Revoke>[0];
type Revoke = NonNullable<NonNullable<Ctx['connectors'][AccountDoc['platform']]>['revoke']>;

/** The tokens to revoke at the platform. Tokens that cannot be decrypted are erased without revoking them. */
function tokensOf({ encrypter, log }: Ctx, account: AccountDoc): Tokens | undefined {
  const open = (field: keyof typeof accountFields): string | undefined => {
    const encrypted = account[field];
    return encrypted ? encrypter.decrypt(encrypted, accountFields[field](account._id)) : undefined;
  };
  try {
    const token = open('encryptedToken');
    return token === undefined
      ? undefined
      : { token, refreshToken: open('encryptedRefreshToken'), adsToken: open('encryptedAdsToken') };
  } catch (error) {
    if (isDeferred(error)) throw error;
    log.warn(
      { accountId: account._id, err: error },
      'the tokens of an account cannot be decrypted and are not revoked',
    );
    return undefined;
  }
}

/** What the platform makes of it changes nothing here: the tokens are gone. */
async function revoke({ db, connectors, log }: Ctx, account: AccountDoc, tokens: Tokens): Promise<void> {
  const { platform, platformAccountId } = account;
  const { revoke: end } = connectors[platform] ?? {};
  if (!end) return;
  // The same person may be connected by another user, whose connection must live on.
  const others = await db.accounts.countDocuments({ platform, platformAccountId, disconnectedAt: null });
  if (others > 0) return;
  await end(tokens).catch((error: unknown) => {
    log.warn({ accountId: account._id, err: error }, 'token revocation at the platform failed');
  });
}
